// What collectives compute, on the tensors of all members: used by the in-process backend, by the
// interpreter, and by the check that a recorded collective is the reduction of its recorded inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>
#include <string_view>

namespace assay {

enum class Reduction { kSum, kAverage, kProduct, kMin, kMax };

// "sum", "avg", "product", "min", "max", as in _c10d_functional; nullopt if it is none of these.
std::optional<Reduction> parse_reduction(std::string_view name);

// Element-wise reduction of tensors of one shape and dtype, in member order and in their dtype: the
// same bits on every member and in every run. `members` is not empty.
at::Tensor reduce_members(Reduction reduction, std::span<const at::Tensor> members);

}  // namespace assay
