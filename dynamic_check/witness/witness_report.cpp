#include "dynamic_check/witness/witness_report.h"

#include <fmt/format.h>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/witness/find_witness.h"

namespace assay {
namespace {

DeviationReport describe(const Witness& witness) {
  DeviationReport deviation;
  deviation.tensor = witness.tensor;
  deviation.error = witness.error;
  deviation.kind = !witness.failure.empty() ? "run_failed" : witness.undefined ? "nan" : "value";
  deviation.detail =
      witness.failure.empty()
          ? fmt::format("expected to be {}{}; in float64, seed {}{}", witness.expression,
                        witness.undefined ? ", which is no number somewhere" : "", witness.seed,
                        witness.reduced ? ", at reduced sizes" : "") +
                (witness.rounding ? "; rounding moves what the ranks compute as far" : "")
          : witness.failure;
  return deviation;
}

DynamicReport report_of(const WitnessSearch& result) {
  if (!result.why_not.empty()) throw UserError({}, result.why_not);
  DynamicReport report;
  report.precision = "float64";
  report.compared = result.compared;
  report.verdict = RunVerdict::kAgrees;
  report.triage = "unproved";
  if (!result.witness) return report;
  // What rounding explains says nothing of the program over the reals.
  report.verdict = result.witness->rounding ? RunVerdict::kInconclusive : RunVerdict::kDeviates;
  if (!result.witness->rounding) report.triage = "logic";
  report.deviations = 1;
  report.first_deviation = describe(*result.witness);
  return report;
}

void refuse_draws(const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (draws(node)) throw UserError(node.source, fmt::format("{} draws random numbers", node.op));
}

}  // namespace

DynamicReport witness_report(const Case& refinement) {
  return report_of(find_witness(refinement, {}, {.explain = true}));
}

DynamicReport run_of_proof(const Case& refinement, const std::vector<Relation>& proved) {
  constexpr int64_t kAtOwnSizes = 1 << 20, kAtAnySize = 1 << 22;
  refuse_draws(refinement.sequential);
  for (const Graph& rank : refinement.ranks) refuse_draws(rank);
  int64_t elements = 0;
  const auto add = [&](const Graph& graph) {
    for (const Tensor& tensor : graph.tensors) elements += element_count(tensor.shape);
  };
  add(refinement.sequential);
  for (const Graph& rank : refinement.ranks) add(rank);
  DynamicReport report = report_of(find_witness(refinement, proved,
                                                {.seeds = {1},
                                                 .reduce = elements > kAtOwnSizes,
                                                 .finite_only = true,
                                                 .explain = true,
                                                 .max_elements = kAtAnySize}));
  if (report.compared == 0 && report.verdict == RunVerdict::kAgrees)
    throw UserError({},
                    "the sequential outputs are not finite, or no inputs were found that its "
                    "assumptions about indices leave");
  if (report.verdict == RunVerdict::kInconclusive) {
    report.verdict = RunVerdict::kDeviates;
    report.triage = "rounding";
  }
  return report;
}

}  // namespace assay
