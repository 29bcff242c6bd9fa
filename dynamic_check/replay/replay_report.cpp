#include "dynamic_check/replay/replay_report.h"

#include <fmt/format.h>

#include "dynamic_check/replay/replay.h"

namespace assay {
namespace {

DeviationReport describe(const Witness& witness) {
  DeviationReport deviation;
  deviation.tensor = witness.tensor;
  deviation.error = witness.error;
  deviation.kind = witness.failure.empty() ? "value" : "run_failed";
  deviation.detail =
      witness.failure.empty()
          ? fmt::format("expected to be {}; in float64, seed {}{}", witness.expression,
                        witness.seed, witness.reduced ? ", at reduced sizes" : "")
          : witness.failure;
  return deviation;
}

}  // namespace

DynamicReport replay_report(const Case& refinement) {
  const ReplayResult result = replay(refinement);
  if (!result.why_not.empty()) throw UserError({}, result.why_not);
  DynamicReport report;
  report.precision = "float64";
  report.compared = result.compared;
  report.verdict = Verdict::kProved;
  report.triage = "unproved";
  if (!result.witness) return report;
  report.verdict = Verdict::kRefuted;
  report.triage = "logic";
  report.deviations = 1;
  report.first_deviation = describe(*result.witness);
  return report;
}

}  // namespace assay
