// Every way of calling a collective, in the one form that graphs have: `_c10d_functional.*` on a
// group's name.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

struct AwaitedCall;  // pending_calls.h

// An argument of a collective in the graph: a tensor, or a list of them.
struct CollectiveOperand {
  std::vector<at::Tensor> tensors;
  bool list = false;
};

// One collective, or one side of a message. The graph forms are declared in
// operators/collective.toml: what has a functional form has that, such as
//   _c10d_functional.all_reduce(input, reduce_op, group)
// and the others are named after c10d and, as all operators of a graph, write nothing:
//   c10d.recv(memory, source, tag, group)   c10d.all_gather(memory, input, group_size, group)
// reduce_op is "sum", "avg", "product", "min" or "max"; members are positions in the group; splits
// are rows.
struct CollectiveCall {
  std::string op;
  std::vector<CollectiveOperand> operands;
  ArgList attributes;                    // what follows the operands
  std::vector<at::Tensor> destinations;  // the tensors that the call writes
  std::optional<Shape> output_shape;     // of the new tensor, where the call returns one
  std::optional<Shape> made_shape;       // of the operator's result, where the destination has
                                         // another: parts that are stacked, not concatenated
};

enum class CollectiveKind {
  kNotCollective,
  kData,         // described by collective_calls
  kSynchronize,  // wait_tensor: moves no data
  kUnsupported,  // a receive from any source, coalesced lists, ...
};

CollectiveKind collective_kind(const c10::OperatorHandle& op);

// For kData: the collectives that a call makes, one per tensor of a list. Throws UserError for
// reductions that a graph cannot say (premultiplied sums, bitwise ones).
std::vector<CollectiveCall> collective_calls(const c10::OperatorHandle& op,
                                             std::span<const c10::IValue> arguments);

// What the call returns when nothing is sent: its destinations, new meta tensors, and work that
// tells `awaited` when the program waits for it.
std::vector<c10::IValue> results_without_communication(const c10::OperatorHandle& op,
                                                       std::span<const c10::IValue> arguments,
                                                       const std::vector<CollectiveCall>& calls,
                                                       const std::shared_ptr<AwaitedCall>& awaited);

// How the program gets to know that a call is done.
enum class Wait {
  kForWork,    // it waits for the work that the call returns
  kForTensor,  // it calls wait_tensor
  kNever,      // the call is synchronous, or fills nothing
};

Wait wait_of(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments);

// Whether a call reads a copy of its operand, which the program may overwrite meanwhile.
bool copies_operand(const CollectiveCall& call);

// Waits until the results of a call that did communicate are there.
std::function<void()> waiter(std::span<const c10::IValue> results);

}  // namespace assay
