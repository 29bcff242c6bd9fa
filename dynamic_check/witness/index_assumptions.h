// What a proof assumes of indices that are computed of inputs (docs/proved.md): inputs that are
// none of these say nothing about it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <set>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"

namespace assay {

class IndexAssumptions {
 public:
  // Lowers the sequential program. The case must outlive this. Throws UserError where the program
  // does not fit its operators' declarations.
  explicit IndexAssumptions(const Case& refinement);

  // Whether no index of the sequential program counts from the end of its table, and all rows of
  // searchsorted and boundaries of bucketize ascend. Values by rank, and by tensor: undefined ones
  // are not looked at.
  bool hold(const std::vector<at::Tensor>& sequential,
            const std::vector<std::vector<at::Tensor>>& ranks) const;

 private:
  const Case& refinement_;
  // Of the sequential program's tensors of indices, what these may be beside rows.
  std::map<TensorId, std::set<int64_t>> indices_;
};

}  // namespace assay
