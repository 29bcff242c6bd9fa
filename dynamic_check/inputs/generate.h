// Values of whole inputs, by role, and each rank's part of them by the case's input relation.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dynamic_check/question/question.h"
#include "dynamic_check/relate/relate.h"
#include "shared_ir/case/case.h"

namespace assay {

// Integers at which a program may change its mind about ids below `bound`: 0, bound - 1, and every
// integer constant of the graphs' operators within the bound, each with its neighbours. Sorted.
std::vector<int64_t> boundary_ids(const Case& refinement, int64_t bound);

// The whole tensor, in float64, int64 or bool. By role:
// - activation: standard normal, one element in 64 four times as large (saturating non-linearities
//   and masks show)
// - weight: normal with variance 1 / fan-in (last dimension)
// - scale: 1 + normal / 5
// - bias, first moment: normal / 5
// - second moment: ((1 + normal / 5) / 5) squared, never negative
// - token ids, labels: half of the elements at `boundaries` in turn, the others uniform in [0,
//   bound); one in eight is `beside` instead, where there is such
// - mask: 0 or 1, evenly
// Throws UserError when ids or labels have no positive bound.
at::Tensor generate(const DynamicInput& input, uint64_t seed,
                    const std::vector<int64_t>& boundaries);

// Every distributed tensor that the relations mention, from the whole tensors by name. Throws
// UserError for relations that contradict each other.
std::map<RankTensorName, at::Tensor> parts_of(const std::vector<Relation>& relations,
                                              const std::vector<Graph>& ranks,
                                              const std::map<std::string, at::Tensor>& whole,
                                              uint64_t seed);

}  // namespace assay
