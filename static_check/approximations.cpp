#include "static_check/approximations.h"

#include "shared_ir/base/error.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

std::string names(const std::vector<std::string>& tensors) {
  std::string text;
  for (const std::string& tensor : tensors) text += (text.empty() ? "" : ", ") + tensor;
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::vector<std::vector<CleanExpr>> rearranged_operands(
    Problem& problem, const std::vector<ApproximatedOperands>& operands,
    std::vector<ForeignOperand>& foreign) {
  const Graph& sequential = problem.refinement.sequential;
  std::vector<std::vector<CleanExpr>> rearranged(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<Candidate> candidates;
    for (const std::string& name : operands[i].sequential) {
      const TensorId id = sequential.find(name);
      if (const Value* value = problem.sequential_value(id))
        candidates.push_back(candidate_of(sequential, problem.sequential_program, id, 0, *value));
    }
    const CoverIndex index(problem.lifting, std::move(candidates));
    for (const CleanExpr& operand : operands[i].ranks) {
      const Graph& graph = problem.rank_graph(operand.rank);
      const TensorId id = graph.find(operand.name);
      const CoreProgram& program = problem.rank_programs[static_cast<size_t>(operand.rank)];
      const Value* value = problem.rank_value(operand.rank, id);
      std::vector<CleanExpr> found;
      if (value != nullptr) found = index.cover(target_of(graph, program, id, *value));
      if (found.empty())
        foreign.push_back({i, operand});
      else
        rearranged[i].push_back(std::move(found.front()));
    }
  }
  return rearranged;
}

ApproximationReport report_of(const Case& refinement, const Approximation& approximation) {
  const Graph& graph = refinement.sequential;
  const TensorId id = graph.find(approximation.tensor);
  ApproximationReport report;
  report.tensor = approximation.tensor;
  report.op = operator_of(graph, id);
  report.source = to_string(source_of(graph, id));
  for (const CleanExpr& replica : approximation.replicas)
    report.relation.push_back(to_string(replica));
  report.reason = approximation.reason;
  return report;
}

FailureReport diagnose_foreign_operand(const Case& refinement, const ForeignOperand& foreign,
                                       const ApproximatedOperands& operands) {
  const Approximation& accepted = refinement.approximations[foreign.approximation];
  const Graph& graph = refinement.sequential;
  const Graph& rank = refinement.ranks[static_cast<size_t>(foreign.operand.rank)];
  FailureReport report;
  report.kind = "approximation";
  report.node = accepted.tensor;
  report.op = operator_of(graph, graph.find(accepted.tensor));
  report.source = to_string(source_of(graph, graph.find(accepted.tensor)));
  report.nearest = to_string(foreign.operand);
  report.distributed_source = to_string(source_of(rank, rank.find(foreign.operand.name)));
  report.reason = "its approximation is accepted, but the operator of rank " +
                  std::to_string(foreign.operand.rank) + " reads " + report.nearest +
                  ", which is not made of what the sequential one reads (" +
                  names(operands.sequential) + ")";
  report.hint = "an approximation excuses one operator, and not what comes before it";
  return report;
}

void refuse_needless(const Approximation& approximation, const std::string& why) {
  throw UserError(approximation.place,
                  "the approximation of '" + approximation.tensor + "' is not needed: " + why,
                  "take it out");
}

}  // namespace assay
