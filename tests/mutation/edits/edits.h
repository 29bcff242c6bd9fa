// The edits of one node, by kind, and the changes of a graph that they are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/mutation/mutation.h"

namespace assay::test {

void add_constant_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_index_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_operand_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_operator_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_memory_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_type_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_attribute_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_wait_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_collective_edits(const Case& refinement, Rank rank, NodeId node, std::vector<Edit>& edits);
void add_arithmetic_rewrites(const Graph& graph, NodeId node, std::vector<Edit>& edits);
void add_collective_rewrites(const Case& refinement, Rank rank, NodeId node,
                             std::vector<Edit>& edits);
void add_scaling_rewrites(const Graph& graph, NodeId node, std::vector<Edit>& edits);

/// What the mutation says of a call that reads what is in flight.
inline constexpr std::string_view kUsedInFlight = "before the wait for its operand";

/// "ge = aten.ge.Scalar: CHANGE".
std::string describe(const Graph& graph, NodeId node, const std::string& change);

/// The arguments of a node, keyword arguments last, lists flattened.
std::vector<Arg*> leaves(Node& node);
std::vector<const Arg*> leaves(const Node& node);
size_t leaf_count(const Node& node);

/// Whether two tensors have the same shape and dtype.
bool same_type(const Graph& graph, TensorId a, TensorId b);

/// Whether the tensor has its value before `node` runs.
bool is_ready(const Graph& graph, TensorId tensor, NodeId node);

Graph& graph_of(Case& refinement, Rank rank);
Node& node_of(Graph& graph, NodeId node);

/// Puts a call that makes one new tensor before `before`. Returns the tensor.
TensorId insert_call(Graph& graph, NodeId before, Node call, Shape shape, DType dtype);

/// The same, for a call of `op` with these arguments.
TensorId insert_call(Graph& graph, NodeId before, const std::string& op, std::vector<Arg> args,
                     Shape shape, DType dtype);

/// Arguments of a call.
template <typename... Value>
std::vector<Arg> arguments(const Value&... values) {
  std::vector<Arg> args;
  ((args.emplace_back().value = values), ...);
  return args;
}

/// The node, which has one output, becomes a call of `op` with these arguments.
void replace_call(Graph& graph, NodeId node, const std::string& op, std::vector<Arg> args);

/// `from` becomes `to` in the node's arguments.
void replace_operand(Node& node, TensorId from, TensorId to);

/// Moves a node to an earlier place.
void move_node(Graph& graph, NodeId from, NodeId to);

/// Output number `output` of the node is `operand` itself. The node's other outputs stay as they
/// are.
void leave_out(Graph& graph, NodeId node, size_t output, TensorId operand);

}  // namespace assay::test
