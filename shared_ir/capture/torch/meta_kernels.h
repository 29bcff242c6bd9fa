// Operators on meta tensors: shapes without values.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace assay {

// Runs the operator so that every tensor it makes is a meta tensor: devices that it asks for are
// replaced, and operators that LibTorch cannot run on meta tensors have a shape function here.
// Throws what LibTorch throws (c10::Error when the shapes do not fit, c10::NotImplementedError when
// the shape cannot be known).
void run_on_meta(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

}  // namespace assay
