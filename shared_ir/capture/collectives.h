// Every way of calling a collective, in the one form that graphs have: `_c10d_functional.*` on a
// group's name.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// One collective. Graph form, where `input` comes first:
//   all_reduce(input, reduce_op, group)            all_gather_into_tensor(input, group_size, group)
//   broadcast(input, source, group)                reduce_scatter_tensor(input, reduce_op,
//   group_size, group) all_to_all_single(input, output_split_sizes, input_split_sizes, group)
// reduce_op is "sum", "avg", "product", "min" or "max"; `source` is a position in the group; splits
// are rows.
struct CollectiveCall {
  std::string op;
  at::Tensor input;
  ArgList attributes;      // what follows the input
  at::Tensor destination;  // the tensor that the call writes; undefined: the call returns a new one
  Shape output_shape;
};

enum class CollectiveKind {
  kNotCollective,
  kData,         // described by collective_calls
  kSynchronize,  // wait_tensor, barrier: moves no data
  kUnsupported,  // point to point, reduce_scatter of lists, ...
};

CollectiveKind collective_kind(const c10::OperatorHandle& op);

// For kData: the collectives of a call, one per tensor of a list; all_gather into a list is a
// broadcast from each member. Throws UserError for a reduction or list that a graph cannot say.
std::vector<CollectiveCall> collective_calls(const c10::OperatorHandle& op,
                                             std::span<const c10::IValue> arguments);

// What the call returns when nothing is sent: the destinations, new meta tensors, completed work.
std::vector<c10::IValue> results_without_communication(const c10::OperatorHandle& op,
                                                       std::span<const c10::IValue> arguments,
                                                       const std::vector<CollectiveCall>& calls);

// Waits until the results of a call that did communicate are there.
std::function<void()> waiter(std::span<const c10::IValue> results);

}  // namespace assay
