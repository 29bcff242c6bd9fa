// Shape functions of the operators that LibTorch 2.11 cannot run on meta tensors from C++.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>

#include <optional>
#include <vector>

namespace assay {

// The results of a call, as meta tensors with the sizes, strides and element types that the CPU
// kernel gives; an in-place operator gives its own tensor. nullopt: LibTorch runs it itself, or
// nobody can.
std::optional<std::vector<at::Tensor>> infer_results(const c10::OperatorName& name,
                                                     c10::ArrayRef<c10::IValue> arguments);

// Whether the operator, or the one that it does in place, has one.
bool has_shape_function(const c10::OperatorName& name);

}  // namespace assay
