#include <utility>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// The window between two neighbouring integers moves (slice bounds), or the two change places
// (permutations, splits).
void add_neighbour_edits(const Graph& graph, NodeId node, size_t leaf, int64_t first,
                         int64_t second, std::vector<Edit>& edits) {
  const std::string both = "arguments " + std::to_string(leaf) + " and " +
                           std::to_string(leaf + 1) + " (" + std::to_string(first) + ", " +
                           std::to_string(second) + ") ";
  for (const int64_t shift : {1, -1}) {
    edits.push_back({MutationKind::kIndex,
                     describe(graph, node, both + (shift > 0 ? "+ 1" : "- 1")),
                     [=](Case& mutant, Rank rank) {
                       const std::vector<Arg*> args = leaves(node_of(graph_of(mutant, rank), node));
                       for (const size_t i : {leaf, leaf + 1})
                         std::get<int64_t>(args[i]->value) += shift;
                     }});
  }
  if (first == second) return;
  edits.push_back({MutationKind::kIndex, describe(graph, node, both + "change places"),
                   [=](Case& mutant, Rank rank) {
                     const std::vector<Arg*> args = leaves(node_of(graph_of(mutant, rank), node));
                     std::swap(args[leaf]->value, args[leaf + 1]->value);
                   }});
}

// An integer beside no other is another dimension, size or place.
void add_lone_edits(const Graph& graph, NodeId node, size_t leaf, int64_t number,
                    std::vector<Edit>& edits) {
  for (const int64_t shift : {1, -1})
    edits.push_back({MutationKind::kIndex,
                     describe(graph, node,
                              "argument " + std::to_string(leaf) + " (" + std::to_string(number) +
                                  ") " + (shift > 0 ? "+ 1" : "- 1")),
                     [=](Case& mutant, Rank rank) {
                       std::get<int64_t>(
                           leaves(node_of(graph_of(mutant, rank), node))[leaf]->value) += shift;
                     }});
}

void add_output_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const std::vector<TensorId>& outputs = graph.nodes[static_cast<size_t>(node)].outputs;
  // The None of what was made functional is no tensor.
  const bool none =
      graph.nodes[static_cast<size_t>(node)].functional && !outputs.empty() && outputs[0] == kNone;
  for (size_t i = none ? 1 : 0; i < outputs.size(); ++i) {
    for (size_t j = i + 1; j < outputs.size(); ++j) {
      if (outputs[i] == kNone && outputs[j] == kNone) continue;
      if (outputs[i] != kNone && outputs[j] != kNone && !same_type(graph, outputs[i], outputs[j]))
        continue;
      edits.push_back({MutationKind::kIndex,
                       describe(graph, node,
                                "outputs " + std::to_string(i) + " and " + std::to_string(j) +
                                    " change places"),
                       [=](Case& mutant, Rank rank) {
                         Graph& of = graph_of(mutant, rank);
                         std::vector<TensorId>& changed = node_of(of, node).outputs;
                         std::swap(changed[i], changed[j]);
                         for (const size_t k : {i, j}) {
                           if (changed[k] != kNone)
                             of.tensors[static_cast<size_t>(changed[k])].output =
                                 static_cast<int32_t>(k);
                         }
                       }});
    }
  }
}

}  // namespace

void add_index_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const std::vector<const Arg*> args = leaves(graph.nodes[static_cast<size_t>(node)]);
  for (size_t leaf = 0; leaf + 1 < args.size(); ++leaf) {
    const auto* first = std::get_if<int64_t>(&args[leaf]->value);
    const auto* second = std::get_if<int64_t>(&args[leaf + 1]->value);
    if (first && second) add_neighbour_edits(graph, node, leaf, *first, *second, edits);
  }
  const auto integer = [&](size_t leaf) {
    return leaf < args.size() ? std::get_if<int64_t>(&args[leaf]->value) : nullptr;
  };
  for (size_t leaf = 0; leaf < args.size(); ++leaf)
    if (integer(leaf) && !integer(leaf + 1) && (leaf == 0 || !integer(leaf - 1)))
      add_lone_edits(graph, node, leaf, *integer(leaf), edits);
  add_output_edits(graph, node, edits);
}

}  // namespace assay::test
