// Runs one operator of a captured graph by its name, through PyTorch's dispatcher.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

class DeclaredOperators;  // declared_operators.h

// In which arithmetic an operator runs.
enum class Arithmetic {
  kAsRecorded,  // the dtypes of the operands and of the node's arguments
  kFloat64,  // every floating dtype that the node names becomes float64; floating operands should
             // be float64
};

// The tensor as an operand in float64 arithmetic: integers and booleans stay as they are.
at::Tensor widened(const at::Tensor& tensor);

// The operator reads outside its operand: an id beyond the table. A fault of the program on this
// input.
struct IndexOutOfRange : UserError {
  using UserError::UserError;
};

using TensorLookup = std::function<at::Tensor(TensorId)>;

// The node's outputs, numbered as in Node::outputs: its returns (lists flattened), then the new
// value of each mutated argument; an undefined tensor for the None that a capture counts. Operands
// are left alone. In float64, what the user `declared` is its declaration, whatever kernel PyTorch
// has of that name. Uninitialised results (aten.empty and its kin) hold NaN, or 0 for integers; a
// random operator makes a draw that keeps everything (dropout drops nothing). Throws UserError, at
// the node's source, for an operator that neither PyTorch nor custom_operators.h knows, for
// arguments that do not fit its schema, and when the operator itself refuses its operands.
std::vector<at::Tensor> run_operator(const Graph& graph, const Node& node,
                                     const TensorLookup& value, Arithmetic arithmetic,
                                     const DeclaredOperators* declared = nullptr);

// The node's operator without its overload: "aten.add" for "aten.add.Tensor".
std::string_view operator_name(const Node& node);

// True when the outputs are memory that nothing has written (aten.empty and its kin).
bool is_uninitialised(const Node& node);

// True when the operator draws random numbers, or can.
bool is_random(const Node& node);

// True when this call of it does: a dropout by 0, or in evaluation, does not.
bool draws(const Node& node);

// True when an output shares memory with an operand, so that the operator rounds nothing (view,
// transpose, slice, ...).
bool is_view_operator(const Node& node);

}  // namespace assay
