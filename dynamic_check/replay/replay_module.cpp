#include "dynamic_check/replay_module.h"

#include <fmt/format.h>

#include <type_traits>

#include "dynamic_check/replay/replay.h"

namespace {

assay::DeviationReport describe(const assay::Witness& witness) {
  assay::DeviationReport deviation;
  deviation.tensor = witness.tensor;
  deviation.error = witness.error;
  deviation.kind = witness.failure.empty() ? "value" : "run_failed";
  deviation.detail =
      witness.failure.empty()
          ? fmt::format("expected to be {}; in float64, seed {}, sizes divided by {}",
                        witness.expression, witness.seed, witness.factor)
          : witness.failure;
  return deviation;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void assay_replay(const assay::Case& refinement,
                                                            assay::DynamicReport& report) {
  const assay::ReplayResult result = assay::replay(refinement);
  if (!result.why_not.empty()) throw assay::UserError({}, result.why_not);
  report.precision = "float64";
  report.compared = result.compared;
  report.verdict = assay::Verdict::kProved;
  report.triage = "unproved";
  if (!result.witness) return;
  report.verdict = assay::Verdict::kRefuted;
  report.triage = "logic";
  report.deviations = 1;
  report.first_deviation = describe(*result.witness);
}

static_assert(std::is_same_v<decltype(&assay_replay), assay::ReplayFunction>);
