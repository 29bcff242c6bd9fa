#include <utility>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

TensorId tensor_of(const Arg& arg) {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  return tensor ? tensor->id : kNone;
}

}  // namespace

void add_operand_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const std::vector<const Arg*> args = leaves(graph.nodes[static_cast<size_t>(node)]);
  const auto name = [&](TensorId id) { return graph.tensors[static_cast<size_t>(id)].name; };
  for (size_t i = 0; i < args.size(); ++i) {
    const TensorId operand = tensor_of(*args[i]);
    if (operand == kNone) continue;
    for (TensorId other = 0; other < static_cast<TensorId>(graph.tensors.size()); ++other) {
      if (other == operand || !is_ready(graph, other, node) || !same_type(graph, operand, other))
        continue;
      edits.push_back(
          {MutationKind::kOperand,
           describe(graph, node, "reads " + name(other) + " instead of " + name(operand)),
           [=](Case& mutant, Rank rank) {
             leaves(node_of(graph_of(mutant, rank), node))[i]->value = TensorArg{other};
           }});
    }
    for (size_t j = i + 1; j < args.size(); ++j) {
      const TensorId other = tensor_of(*args[j]);
      if (other == kNone || other == operand || !same_type(graph, operand, other)) continue;
      edits.push_back(
          {MutationKind::kOperand,
           describe(graph, node, name(operand) + " and " + name(other) + " change places"),
           [=](Case& mutant, Rank rank) {
             const std::vector<Arg*> both = leaves(node_of(graph_of(mutant, rank), node));
             std::swap(both[i]->value, both[j]->value);
           }});
    }
  }
}

}  // namespace assay::test
