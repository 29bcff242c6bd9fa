// What a proof assumes of indices that are computed of inputs (docs/proved.md): inputs that are
// none of these say nothing about it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

#include "dynamic_check/relate/relate.h"
#include "shared_ir/case/case.h"
#include "shared_ir/lower/lower.h"

namespace assay {

class IndexAssumptions {
 public:
  // Lowers all programs. The case must outlive this. Throws UserError where one does not fit its
  // operators' declarations.
  explicit IndexAssumptions(const Case& refinement);

  using Inputs = std::map<RankTensorName, at::Tensor>;
  // Whether the sequential program's indices lie in their tables and count from their start, no
  // program writes an element twice where that is assumed, and all rows of searchsorted and
  // boundaries of bucketize ascend (values of tensors by rank, undefined ones are not looked at).
  // True where the programs have no reference.
  bool hold(const Inputs& sequential, const Inputs& distributed,
            const std::vector<at::Tensor>& sequential_values,
            const std::vector<std::vector<at::Tensor>>& rank_values) const;

 private:
  const Case& refinement_;
  const LoweredCase programs_;
};

}  // namespace assay
