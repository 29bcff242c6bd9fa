#include <algorithm>

#include "shared_ir/operator_table/schema.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

constexpr std::string_view kWait = "_c10d_functional.wait_tensor";

bool is_wait(const Node& node) { return node.op.starts_with(kWait) && node.outputs.size() == 1; }

NodeId first_user(const Graph& graph, TensorId tensor, NodeId after) {
  for (auto node = after + 1; node < static_cast<NodeId>(graph.nodes.size()); ++node)
    for (const Arg* leaf : leaves(graph.nodes[static_cast<size_t>(node)]))
      if (const auto* operand = std::get_if<TensorArg>(&leaf->value);
          operand != nullptr && operand->id == tensor)
        return node;
  return kNone;
}

// Views move no data: they may be made of what is in flight.
bool reads(const Node& node) {
  const auto schema = memory::torch_schema(node.op);
  return schema && std::ranges::all_of(schema->results, [](const memory::SchemaResult& result) {
           return result.sharing == memory::Sharing::kNothing ||
                  result.sharing == memory::Sharing::kWritten;
         });
}

// Whether the call can come at `place`, where `arrived` is not there yet.
bool is_ready_but_for(const Graph& graph, NodeId node, TensorId arrived, NodeId place) {
  return std::ranges::all_of(
      operands_of(graph.nodes[static_cast<size_t>(node)]),
      [&](TensorId operand) { return operand == arrived || is_ready(graph, operand, place); });
}

}  // namespace

void add_wait_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  if (!is_wait(of)) return;
  const auto* flying = std::get_if<TensorArg>(&of.args.at(0).value);
  if (flying == nullptr) return;
  const TensorId arrived = of.outputs[0], unfinished = flying->id;
  if (const NodeId user = first_user(graph, arrived, node);
      user != kNone && !is_wait(graph.nodes[static_cast<size_t>(user)]) &&
      reads(graph.nodes[static_cast<size_t>(user)]) && is_ready_but_for(graph, user, arrived, node))
    edits.push_back({MutationKind::kWait, describe(graph, user, std::string(kUsedInFlight)),
                     [=](Case& mutant, Rank rank) {
                       Graph& changed = graph_of(mutant, rank);
                       replace_operand(node_of(changed, user), arrived, unfinished);
                       move_node(changed, user, node);
                     }});
  for (auto next = node + 1; next < static_cast<NodeId>(graph.nodes.size()); ++next) {
    const Node& other = graph.nodes[static_cast<size_t>(next)];
    if (!is_wait(other)) continue;
    const auto* second = std::get_if<TensorArg>(&other.args.at(0).value);
    if (second == nullptr || !is_ready(graph, second->id, node)) return;
    const TensorId later = second->id;
    edits.push_back(
        {MutationKind::kWait, describe(graph, next, "before the wait that precedes it"),
         [=](Case& mutant, Rank rank) { move_node(graph_of(mutant, rank), next, node); }});
    if (same_type(graph, unfinished, later))
      edits.push_back({MutationKind::kWait, describe(graph, node, "waits for the other collective"),
                       [=](Case& mutant, Rank rank) {
                         Graph& changed = graph_of(mutant, rank);
                         replace_operand(node_of(changed, node), unfinished, later);
                         replace_operand(node_of(changed, next), later, unfinished);
                       }});
    return;
  }
}

}  // namespace assay::test
