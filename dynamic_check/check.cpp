#include "dynamic_check/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic_check/distributed_run.h"
#include "dynamic_check/findings.h"
#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/references.h"
#include "dynamic_check/targets.h"

namespace assay {
namespace {

void check_options(const Case& refinement, const Programs& programs,
                   const DynamicOptions& options) {
  if (options.samples < 3) throw UserError({}, "a tolerance needs at least 3 samples");
  if (!is_floating(options.precision) || options.precision < DType::kFloat16) {
    throw UserError({}, fmt::format("a run in {} is not supported", to_string(options.precision)),
                    "use float16, bfloat16, float32 or float64");
  }
  if (static_cast<int64_t>(refinement.ranks.size()) != programs.mesh.world_size()) {
    throw UserError({}, fmt::format("the case has {} ranks, the mesh {}", refinement.ranks.size(),
                                    programs.mesh.world_size()));
  }
}

// A run that did not end is a finding about the program.
// `graph`: that of its rank.
void report_failure(const RunFailure& failure, const Graph& graph, DynamicReport& report) {
  DeviationReport deviation;
  deviation.ranks = {failure.rank};
  deviation.detail = failure.message;
  if (failure.last != kNone) {
    const Node& node = graph.nodes[static_cast<size_t>(failure.last)];
    deviation.op = node.op;
    deviation.source = to_string(node.source);
    deviation.detail += fmt::format("; the last operator of rank {}: {}", failure.rank, node.op);
    if (node.source.known()) deviation.detail += fmt::format(" ({})", deviation.source);
  }
  switch (failure.kind) {
    case RunFailure::Kind::kTimeout:
      report.verdict = Verdict::kTimeout;
      deviation.kind = "timeout";
      break;
    case RunFailure::Kind::kMismatch:
      report.verdict = Verdict::kRefuted;
      deviation.kind = "collective_mismatch";
      break;
    case RunFailure::Kind::kError:
      report.verdict = Verdict::kError;
      deviation.kind = "run_failed";
      break;
  }
  report.deviations = 1;
  report.triage = "runtime";
  report.first_deviation = std::move(deviation);
}

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

// Fills in what the findings mean, given what the proof said.
void triage(const Findings& findings, const Case& refinement, const Targets& targets,
            Verdict static_verdict, DynamicReport& report) {
  report.compared = findings.compared;
  report.skipped = static_cast<int64_t>(findings.skipped.size());
  report.skipped_why = findings.skipped;
  report.tolerances = findings.tolerances;
  report.tolerance_factor = findings.factor;
  report.approximations = findings.approximations;
  report.deviations = static_cast<int64_t>(findings.deviations.size() + findings.faults.size());
  if (!findings.any()) {
    const bool proved = static_verdict == Verdict::kProved && findings.compared > 0;
    report.verdict = findings.compared > 0 ? Verdict::kProved : Verdict::kUnproved;
    report.triage = proved ? "pass" : "unproved";
    return;
  }
  report.verdict = Verdict::kRefuted;
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
  report.triage = "logic";
  if (static_verdict == Verdict::kProved) {
    report.first_deviation->detail +=
        "; every operator before it is right on its own inputs, so the relation itself does not "
        "hold";
  }
}

}  // namespace

DynamicReport dynamic_check(const Case& refinement, const std::vector<Relation>& relations,
                            Verdict static_verdict, const Programs& programs,
                            const DynamicOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_options(refinement, programs, options);
  DynamicReport report;
  report.precision = to_string(options.precision);
  report.family_false_positive_rate = options.family_rate;
  report.samples = options.samples;
  report.seed = options.seed;
  auto finish = [&] {
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    report.ms = elapsed.count();
    return report;
  };

  const Targets targets = make_targets(refinement, relations);
  const SelfMade self_made =
      check_self_made(refinement, programs.inputs, make_parameters(programs, options));
  if (self_made.broken) {
    report.verdict = Verdict::kRefuted;
    report.triage = "input_relation";
    report.deviations = 1;
    report.first_deviation = self_made.broken;
    return finish();
  }
  const RunInputs inputs =
      make_run_inputs(refinement, programs.inputs, self_made, options.precision, options.seed);
  References references = make_references(refinement, targets, programs, inputs, options);
  if (references.failure) {
    report_failure(*references.failure, refinement.sequential, report);
    return finish();
  }
  const DistributedRun run = run_distributed(refinement, programs, inputs, options);
  if (run.failure) {
    const Graph& graph = refinement.ranks[static_cast<size_t>(run.failure->rank)];
    report_failure(*run.failure, graph, report);
    return finish();
  }
  Findings findings = find_deviations(refinement, targets, references, run, options);
  if (!findings.deviations.empty()) {
    add_exact_samples(references, refinement, targets, programs, inputs, options);
    findings = find_deviations(refinement, targets, references, run, options);
  }
  findings.faults = find_faults(refinement, run, options);
  triage(findings, refinement, targets, static_verdict, report);
  return finish();
}

}  // namespace assay
