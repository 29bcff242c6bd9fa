// Shape functions of the operators that LibTorch 2.11 cannot run on meta tensors from C++.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>

#include <functional>
#include <vector>

namespace assay {

// The results, as meta tensors with the sizes, strides and element types that the CPU kernel gives.
using ShapeFunction = std::function<std::vector<at::Tensor>(c10::ArrayRef<c10::IValue> arguments)>;

// nullptr: LibTorch runs it itself.
const ShapeFunction* find_shape_function(const c10::OperatorName& name);

}  // namespace assay
