// Rebuilds sequential tensors from what the ranks recorded, by clean expressions alone. Fails
// closed: whatever cannot be rebuilt exactly once from recorded tensors of one dtype is a finding.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>

#include "dynamic_check/relate/clean_eval.h"
#include "dynamic_check/relate/merge_buffers.h"
#include "shared_ir/clean_expr.h"

namespace assay {

struct Merged {
  at::Tensor value;  // of the leaves' dtype, but float64 where floats are added, or anything
                     // scaled; undefined after a fault
  at::ScalarType dtype = at::kFloat;  // of the leaves
  bool has_padding = false;           // some element comes from padding alone
  std::optional<MergeFault> fault;
};

// `recorded` returns a rank's tensor, undefined if it was not recorded. `shape` is the sequential
// tensor's.
Merged merge(const CleanExpr& expr, const Shape& shape,
             const std::function<at::Tensor(const RankTensorName&)>& recorded);

}  // namespace assay
