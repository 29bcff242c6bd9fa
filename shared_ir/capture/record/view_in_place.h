// Operators that give a tensor object other sizes: x.squeeze_(0), of which LibTorch's own
// composites are made too.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>

#include "shared_ir/graph.h"

namespace assay {

// The operator of the graph that returns what such an operator makes of its first operand, as a
// view of it, and its arguments: those of `args` that it takes. nullopt: the operator gives its
// operand other memory (set_), or memory that nothing has written (resize_ to more elements).
struct ViewCall {
  std::string op;
  ArgList args;
};
std::optional<ViewCall> view_in_place(const c10::OperatorHandle& op, const at::Tensor& operand,
                                      ArgList args);

}  // namespace assay
