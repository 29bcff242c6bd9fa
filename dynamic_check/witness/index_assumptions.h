// What a proof assumes of indices that are computed of inputs (docs/proved.md): inputs that are
// none of these say nothing about it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

#include "dynamic_check/relate/relate.h"
#include "shared_ir/case/case.h"

namespace assay {

using TensorsByName = std::map<RankTensorName, at::Tensor>;

// Whether, for these inputs, the sequential program's indices lie in their tables and count from
// their start, no program writes an element twice where that is assumed, and all rows of
// searchsorted and boundaries of bucketize ascend (values of tensors by rank; undefined ones are
// not looked at). Lowers and evaluates the programs. True where they have no reference.
bool indices_are_as_assumed(const Case& refinement, const TensorsByName& sequential,
                            const TensorsByName& distributed,
                            const std::vector<at::Tensor>& sequential_values,
                            const std::vector<std::vector<at::Tensor>>& rank_values);

}  // namespace assay
