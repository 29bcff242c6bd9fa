#include "static_check/diagnose/wrong_operand.h"

#include <algorithm>

#include "static_check/diagnose/diagnose.h"
#include "static_check/diagnose/piece.h"

namespace assay {
namespace {

// Operands of a rank's operator that are pieces of the sequential one's, in order; empty where
// the two have not as many.
std::vector<bool> right_operands(const Problem& problem, const RelationMap& relations,
                                 const std::vector<TensorId>& here, Rank rank,
                                 const std::vector<TensorId>& there) {
  std::vector<bool> right;
  if (here.size() != there.size()) return right;
  for (size_t i = 0; i < here.size(); ++i) {
    const Value* wanted = problem.sequential_value(here[i]);
    const Value* found = problem.rank_value(rank, there[i]);
    right.push_back(wanted == nullptr || found == nullptr || !has_relation(relations, here[i]) ||
                    is_piece(problem, *wanted, *found));
  }
  return right;
}

void describe_operand(const Problem& problem, FailureReport& report, Rank rank, const Node& node,
                      TensorId wanted, TensorId found) {
  const std::string at = "@" + std::to_string(rank);
  const Graph& program = problem.rank_graph(rank);
  const std::string name = program.tensors[static_cast<size_t>(found)].name + at;
  const Value& value = *problem.rank_value(rank, found);
  const std::string difference =
      compare_values(problem, *problem.sequential_value(wanted), value).difference;
  const bool plain = value.tiles.size() == 1 && value.tiles[0].terms.size() == 1;
  const std::string instead = plain ? name_of(problem, value.tiles[0].terms[0].atom) : "";
  report.nearest = program.tensors[static_cast<size_t>(node.outputs[0])].name + at;
  report.distributed_source = to_string(node.source);
  report.reason = "reads " + name + ", which is no piece of " +
                  problem.refinement.sequential.tensors[static_cast<size_t>(wanted)].name;
  if (!difference.empty())
    report.reason += ": " + name + " " + difference;
  else if (!instead.empty())
    report.reason += " but of " + instead;
  report.hint = "where does rank " + std::to_string(rank) + " get " + name + " from?";
}

}  // namespace

bool describe_wrong_operand(const Problem& problem, const RelationMap& relations, TensorId id,
                            const Nearest& near, FailureReport& report) {
  const Graph& graph = problem.refinement.sequential;
  const NodeId producer = graph.tensors[static_cast<size_t>(id)].producer;
  if (producer == kNone) return false;  // an input
  const auto rank = static_cast<Rank>(std::stol(near.name.substr(near.name.rfind('@') + 1)));
  const Graph& program = problem.rank_graph(rank);
  const auto here = operands_of(graph.nodes[static_cast<size_t>(producer)]);
  const Node* best = nullptr;
  std::vector<bool> right;
  int most = 0;
  for (const Node& node : program.nodes) {
    if (node.op != report.op || node.outputs.empty() || node.outputs[0] == kNone) continue;
    if (node.source.known() && to_string(node.source) != report.source) continue;
    auto matches = right_operands(problem, relations, here, rank, operands_of(node));
    const bool namesake = program.tensors[static_cast<size_t>(node.outputs[0])].name == report.node;
    const auto matched = static_cast<int>(std::count(matches.begin(), matches.end(), true));
    const int score = 2 * matched + (namesake ? 3 : 0);
    if (matches.empty() || matched == static_cast<int>(here.size()) || score <= most) continue;
    best = &node;
    right = std::move(matches);
    most = score;
  }
  if (best == nullptr) return false;
  const auto at = static_cast<size_t>(std::find(right.begin(), right.end(), false) - right.begin());
  describe_operand(problem, report, rank, *best, here[at], operands_of(*best)[at]);
  return true;
}

}  // namespace assay
