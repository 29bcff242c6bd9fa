#include "tests/mutation/mutation.h"

#include <algorithm>
#include <random>
#include <utility>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

std::vector<Edit> edits_of(const Case& refinement, Rank rank) {
  const Graph& graph = refinement.ranks[static_cast<size_t>(rank)];
  std::vector<Edit> edits;
  for (NodeId node = 0; node < static_cast<NodeId>(graph.nodes.size()); ++node) {
    add_constant_edits(graph, node, edits);
    add_index_edits(graph, node, edits);
    add_operand_edits(graph, node, edits);
    add_operator_edits(graph, node, edits);
    add_memory_edits(graph, node, edits);
    add_type_edits(graph, node, edits);
    add_attribute_edits(graph, node, edits);
    add_collective_edits(refinement, rank, node, edits);
    add_wait_edits(graph, node, edits);
    add_arithmetic_rewrites(graph, node, edits);
    add_collective_rewrites(refinement, rank, node, edits);
    add_scaling_rewrites(graph, node, edits);
  }
  return edits;
}

// Whether an edit of one graph means the same in the other.
bool same_structure(const Graph& a, const Graph& b) {
  const auto same_node = [](const Node& x, const Node& y) {
    return x.op == y.op && x.outputs == y.outputs && leaf_count(x) == leaf_count(y);
  };
  const auto same_name = [](const Tensor& x, const Tensor& y) { return x.name == y.name; };
  return std::ranges::equal(a.nodes, b.nodes, same_node) &&
         std::ranges::equal(a.tensors, b.tensors, same_name);
}

}  // namespace

const char* to_string(MutationKind kind) {
  switch (kind) {
    case MutationKind::kConstant:
      return "constant";
    case MutationKind::kIndex:
      return "index";
    case MutationKind::kOperand:
      return "operand";
    case MutationKind::kOperator:
      return "operator";
    case MutationKind::kCollective:
      return "collective";
    case MutationKind::kMemory:
      return "memory";
    case MutationKind::kType:
      return "type";
    case MutationKind::kAttribute:
      return "attribute";
    case MutationKind::kWait:
      return "wait";
    case MutationKind::kCommute:
      return "commute";
    case MutationKind::kReassociate:
      return "reassociate";
    case MutationKind::kSplitCollective:
      return "split_collective";
    case MutationKind::kMoveScaling:
      return "move_scaling";
  }
  return "?";
}

std::vector<Mutation> mutations_of(const Case& refinement) {
  std::vector<Mutation> mutations;
  const auto ranks = static_cast<Rank>(refinement.ranks.size());
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Edit& edit : edits_of(refinement, rank)) {
      if (edit.together) continue;
      mutations.push_back(
          {edit.kind, "rank " + std::to_string(rank) + ", " + edit.what,
           [rank, apply = std::move(edit.apply)](Case& mutant) { apply(mutant, rank); }});
    }
  }
  const bool one_program = std::ranges::all_of(refinement.ranks, [&](const Graph& graph) {
    return same_structure(graph, refinement.ranks.front());
  });
  if (!one_program) return mutations;
  for (Edit& edit : edits_of(refinement, 0)) {
    mutations.push_back({edit.kind, "all ranks, " + edit.what,
                         [ranks, apply = std::move(edit.apply)](Case& mutant) {
                           for (Rank rank = 0; rank < ranks; ++rank) apply(mutant, rank);
                         }});
  }
  return mutations;
}

std::vector<Mutation> shuffled(std::vector<Mutation> mutations, uint64_t seed) {
  std::mt19937_64 random(seed);
  // std::shuffle draws differently in each standard library.
  for (size_t left = mutations.size(); left > 1; --left)
    std::swap(mutations[left - 1], mutations[random() % left]);
  return mutations;
}

}  // namespace assay::test
