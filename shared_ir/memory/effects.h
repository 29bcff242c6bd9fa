// What one call writes, by the schema of its operator.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/operator_table/schema.h"

namespace assay::memory {

// The argument of that name; nullptr where it is not given.
const Arg* argument(const Node& node, const OperatorSchema& schema, std::string_view name);

// The tensors of an argument, lists flattened, each as often as it occurs.
std::vector<TensorId> tensors_of(const Arg* arg);

// The tensors whose memory the call writes, in the order of the schema, lists flattened. None where
// the call was made functional.
std::vector<TensorId> written_by(const Graph& graph, const Node& node,
                                 const OperatorSchema& schema);

// The tensors that the call only reads, each as often as it occurs.
std::vector<TensorId> only_read_by(const Node& node, const OperatorSchema& schema);

// Whether nothing is known of what the call writes and returns.
bool is_unknown(const Graph& graph, const Node& node, const OperatorSchema& schema);

// The call of the operator that returns what this one writes: without the arguments that are
// keywords only for being written (`out`).
Node functional_call(const Node& node, const OperatorSchema& schema);

}  // namespace assay::memory
