// In-place operators in graphs that were not made functional. What such an operator returns is what
// its functional form computes; whoever reads the memory that it changed by another name would need
// to know who shares it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "shared_ir/lower/builder.h"
#include "shared_ir/lower/site.h"

namespace assay::lowering {

// "aten.add.Tensor" of "aten.add_.Tensor"; empty for an operator that is not named so.
std::string functional_form(std::string_view op);

// Values whose memory has been changed.
class Overwritten {
 public:
  // `node` changes the memory of `value`, and gives `result` (kNone: nothing that is used).
  void change(const Builder& builder, CoreId value, CoreId result, const Node& node);

  // The node that has changed the memory of `value`, or that of what it is a view of; nullptr when
  // none has.
  const Node* changed_by(const Builder& builder, CoreId value) const;

  bool empty() const { return changed_.empty(); }

 private:
  std::map<CoreId, const Node*> changed_;  // by the value that has the memory
};

}  // namespace assay::lowering
