#include "static_check/diagnose/diagnose.h"

#include <algorithm>

#include "static_check/diagnose/nearest.h"
#include "static_check/diagnose/scaled.h"
#include "static_check/problem/candidates.h"

namespace assay {

TensorReport input_report(const Graph& graph, const RelationMap& relations, TensorId id) {
  TensorReport report;
  report.name = graph.tensors[static_cast<size_t>(id)].name;
  const auto relation = relations.find(id);
  if (relation != relations.end() && !relation->second.empty()) {
    report.verdict = Verdict::kProved;
    for (const CleanExpr& replica : relation->second) report.relation.push_back(to_string(replica));
    report.pending_sum = is_pending_sum(relation->second);
  }
  return report;
}

bool has_relation(const RelationMap& relations, TensorId tensor) {
  const auto relation = relations.find(tensor);
  return relation != relations.end() && !relation->second.empty();
}

bool is_pending_sum(const std::vector<CleanExpr>& replicas) {
  return !replicas.empty() && std::ranges::all_of(replicas, [](const CleanExpr& replica) {
    return has_kind(replica, CleanExpr::Kind::kSum);
  });
}

namespace {

// Of an expression over several tensors: what the ranks hold of it, and how what was expected
// differs.
void explain_expression(const Problem& problem, const BrokenExpectation& broken,
                        const CoverIndex& index, FailureReport& report) {
  if (!broken.wanted) {
    report.reason = "nothing expresses its value";
    return;
  }
  const std::string expected = to_string(*broken.replica);
  const auto holds = index.cover({*broken.wanted, report.node, "", std::nullopt});
  const bool instead = !holds.empty() && !(holds[0] == *broken.replica);
  if (instead) {
    report.reason = "expected " + expected + ", but what holds is " + to_string(holds[0]);
    report.nearest = to_string(holds[0]);
  }
  if (!broken.found) return;
  const Nearest near = compare_values(problem, *broken.wanted, *broken.found);
  if (near.difference.empty()) return;
  report.reason += (instead ? "; " : "") + expected + " " + near.difference;
  report.hint = near.hint;
}

}  // namespace

FailureReport diagnose_expectation(const Problem& problem, const RelationMap& relations,
                                   const BrokenExpectation& broken, const CoverIndices& indices) {
  const Expectation& expectation = *broken.expectation;
  const CleanExpr& replica = *broken.replica;
  FailureReport report;
  report.kind = "expectation";
  report.node = to_string(expectation.sequential, Leaves::kSequential);
  const Graph& graph = problem.refinement.sequential;
  if (expectation.sequential.kind == CleanExpr::Kind::kTensor) {
    const TensorId id = graph.find(expectation.sequential.name);
    report.node = expectation.sequential.name;
    report.op = operator_of(graph, id);
    report.source = to_string(source_of(graph, id));
    report.inputs.push_back(input_report(graph, relations, id));
    const TensorReport& holds = report.inputs[0];
    if (const auto near = nearest(problem, id, indices)) {
      report.nearest = near->name;
      report.distributed_source = to_string(near->source);
      report.reason = near->difference;
      report.hint = near->hint;
    }
    if (says_multiple(report.reason)) {
      report.reason = report.nearest + " " + report.reason;
    } else if (holds.pending_sum) {
      const bool alone = problem.refinement.ranks.size() == 1;
      report.reason = (alone ? "a sum that is not added up; expected "
                             : "a pending sum over ranks; expected ") +
                      to_string(replica);
      report.hint =
          alone ? "are all parts added up?" : "is an all_reduce (or reduce_scatter) missing?";
    } else if (!holds.relation.empty()) {
      report.reason = "expected " + to_string(replica) + ", but what holds is " +
                      holds.relation[0] +
                      (report.reason.empty() ? "" : "; " + report.nearest + " " + report.reason);
    }
  } else {
    explain_expression(problem, broken, indices.all, report);
  }
  if (const auto types = type_difference(problem, expectation.sequential, replica)) {
    report.reason = *types;
    report.hint = "give both the same type";
  }
  if (report.reason.empty())
    report.reason = "expected " + to_string(replica) + ", which is another value";
  return report;
}

Verdict verdict_of(const std::vector<FailureReport>& failures) {
  const bool opaque = !failures.empty() && failures.front().kind == "opaque_operator";
  return opaque ? Verdict::kUnsupported : Verdict::kUnproved;
}

FailureReport diagnose_timeout(std::chrono::milliseconds limit) {
  FailureReport failure;
  failure.kind = "timeout";
  failure.reason = "the time limit of " + std::to_string(limit.count()) + " ms was reached";
  failure.hint = "raise the limit, or check fewer layers at once";
  return failure;
}

FailureReport diagnose_mismatch(const Problem& problem, const CollectiveMismatch& mismatch) {
  FailureReport report;
  report.kind = "collective_mismatch";
  const auto node_of = [&](Rank rank, CoreId id) -> const Node& {
    const CoreOp& op =
        problem.rank_programs[static_cast<size_t>(rank)].ops[static_cast<size_t>(id)];
    return problem.rank_graph(rank).nodes[static_cast<size_t>(op.origin)];
  };
  const auto describe = [&](Rank rank, CoreId id, std::string& source) -> std::string {
    if (id == kNone) return "rank " + std::to_string(rank) + " (already finished)";
    const Node& node = node_of(rank, id);
    source = to_string(node.source);
    const std::string at = "@" + std::to_string(rank);
    if (node.outputs.empty() || node.outputs[0] == kNone) return node.op + at;
    const auto output = static_cast<size_t>(node.outputs[0]);
    return problem.rank_graph(rank).tensors[output].name + at + " (" + node.op + ")";
  };
  std::string other;
  const std::string first = describe(mismatch.rank_a, mismatch.op_a, report.source);
  const std::string second = describe(mismatch.rank_b, mismatch.op_b, other);
  report.node = first.substr(0, first.find(" ("));
  report.op = mismatch.op_a == kNone ? "" : node_of(mismatch.rank_a, mismatch.op_a).op;
  report.nearest = second;
  report.distributed_source = other;
  report.reason = mismatch.reason + ": " + first;
  if (second != first) report.reason += " and " + second;
  for (const auto& [rank, id] : mismatch.others) {
    std::string source;
    report.reason += ", " + describe(rank, id, source);
    if (!source.empty()) report.reason += " at " + source;
  }
  report.hint =
      "every member of a group must call the same collectives in the same order, with the same "
      "shapes and split sizes, and receive what is sent to it";
  return report;
}

}  // namespace assay
