#include "dynamic_check/judge/triage.h"

#include <fmt/format.h>

#include "dynamic_check/relate/relate.h"

namespace assay {
namespace {

// The sequential tensor that a rank's tensor is a part of, or the tensor itself.
std::string sequential_name(const Targets& targets, const std::string& name, Rank rank) {
  for (const Target& target : targets.list) {
    for (const CleanExpr& replica : target.replicas) {
      for (const RankTensorName& leaf : leaves_of(replica)) {
        if (leaf == RankTensorName{name, rank}) return target.name;
      }
    }
  }
  return fmt::format("{}@{}", name, rank);
}

DeviationReport describe(const OperatorFault& fault, const Case& refinement,
                         const Targets& targets) {
  const Graph& graph = refinement.ranks[static_cast<size_t>(fault.rank)];
  const Node& node = graph.nodes[static_cast<size_t>(fault.node)];
  DeviationReport report;
  report.tensor =
      sequential_name(targets, graph.tensors[static_cast<size_t>(fault.output)].name, fault.rank);
  report.op = node.op;
  report.source = to_string(node.source);
  report.kind = fault.deviation;
  report.error = fault.error;
  report.allowed = fault.allowed;
  report.ranks = {fault.rank};
  report.detail = fault.detail;
  return report;
}

const char* triage_of(OperatorFault::Kind kind) {
  switch (kind) {
    case OperatorFault::Kind::kKernel:
      return "kernel";
    case OperatorFault::Kind::kPrecision:
      return "precision";
    case OperatorFault::Kind::kRuntime:
      return "runtime";
  }
  throw InternalError("unknown kind of fault");
}

}  // namespace

void triage(const Findings& findings, const Case& refinement, const Targets& targets,
            Verdict static_verdict, DynamicReport& report) {
  report.compared = findings.compared;
  report.skipped = static_cast<int64_t>(findings.skipped.size());
  report.skipped_why = findings.skipped;
  report.flips = findings.flips;
  for (const Uncompared& output : findings.uncompared) {
    const std::string text = output.name + ": " + output.why;
    if (!output.random || static_verdict != Verdict::kProved) {
      report.uncompared.push_back(text);
      continue;
    }
    // What is drawn has nothing to be compared with: that it is right, the proof says.
    std::erase(report.skipped_why, text);
    report.skipped_why.push_back(text + ", the proof alone");
  }
  if (findings.operators.total > 0) report.operators = findings.operators;
  report.tolerances = findings.tolerances;
  report.tolerance_factor = findings.factor;
  report.approximations = findings.approximations;
  report.deviations = static_cast<int64_t>(findings.deviations.size() + findings.faults.size());
  if (!findings.any()) {
    const bool conclusive = findings.compared > 0 && report.uncompared.empty();
    report.verdict = conclusive ? RunVerdict::kAgrees : RunVerdict::kInconclusive;
    report.triage = static_verdict != Verdict::kProved ? "unproved"
                    : conclusive                       ? "pass"
                                                       : "not_compared";
    return;
  }
  report.verdict = RunVerdict::kDeviates;
  // An operator that is wrong on its own inputs explains what deviates after it, not what deviates
  // before.
  const bool fault_first = !findings.faults.empty() &&
                           (findings.deviations.empty() ||
                            findings.faults.front().node <= findings.deviations.front().node);
  if (fault_first) {
    report.first_deviation = describe(findings.faults.front(), refinement, targets);
    report.triage = triage_of(findings.faults.front().kind);
    return;
  }
  report.first_deviation = findings.deviations.front().report;
  if (report.first_deviation->kind == "less_precise") {
    report.triage = "precision";
    return;
  }
  report.triage = static_verdict == Verdict::kProved ? "rounding" : "logic";
}

}  // namespace assay
