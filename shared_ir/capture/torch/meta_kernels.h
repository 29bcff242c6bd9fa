// Operators on meta tensors: shapes without values.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace assay {

// Runs the operator so that every tensor it makes is a meta tensor: devices that it asks for are
// replaced, operators that LibTorch cannot run on meta tensors have a shape function here
// (shape_functions.h), and what has neither is run once on CPU tensors (results_of_a_run.h).
//
// Throws NoResults where that shows no shapes, and what LibTorch throws of the rest (c10::Error
// when the shapes do not fit).
void run_on_meta(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

// Who asks for the tensor's memory to write into it gets a c10::Error, instead of a null pointer.
void forbid_writes(const at::Tensor& meta);

}  // namespace assay
