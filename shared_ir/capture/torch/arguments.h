// From the dispatcher's boxed values to arguments of a node.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// The argument that stands for a tensor: its id, or the value of a wrapped number.
using TensorToArg = std::function<Arg(const at::Tensor&)>;

// Element types become DType; devices, layouts, memory formats and generators become NoArg.
// Throws UserError for what a graph cannot hold (complex numbers, objects).
Arg to_arg(const c10::IValue& value, const c10::Argument& schema, const TensorToArg& tensor);

Arg int_list(const std::vector<int64_t>& values);

// Calls `visit` for each defined tensor in the value: the tensor itself, or the elements of a list.
void for_each_tensor(const c10::IValue& value, const std::function<void(const at::Tensor&)>& visit);

}  // namespace assay
