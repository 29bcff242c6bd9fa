#include "bench/calibration/clean_runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "bench/question.h"
#include "shared_ir/base/error.h"

namespace assay::bench {
namespace {

void add_deviations(const DynamicReport& report, Deviations& deviations) {
  if (report.tolerance_factor > 0)
    deviations.allowed = std::min(deviations.allowed, report.tolerance_factor);
  for (const DynamicReport::Tolerance& tensor : report.tolerances)
    if (tensor.allowed > 0)  // integers and booleans have no tolerance
      deviations.measured.push_back(tensor.error / tensor.allowed * report.tolerance_factor);
}

}  // namespace

CleanRuns run_clean(const std::vector<RefinementSpec>& fixtures,
                    const std::vector<DType>& precisions, int64_t runs, uint64_t first_seed,
                    const std::function<bool()>& goes_on) {
  ASSAY_CHECK(!fixtures.empty() && !precisions.empty(), "there is something to run");
  CleanRuns result;
  for (const DType precision : precisions)
    result.deviations.push_back({precision, std::numeric_limits<double>::infinity(), {}});
  // Captured and proved in the first round.
  std::map<std::pair<size_t, size_t>, Question> questions;
  bool ended = false;
  for (uint64_t seed = first_seed; !ended && result.runs < runs;) {
    for (size_t i = 0; i < precisions.size() && !ended; ++i) {
      for (size_t k = 0; k < fixtures.size() && !ended; ++k, ++seed) {
        Question& question =
            questions.try_emplace({i, k}, fixtures[k], precisions[i]).first->second;
        question.options.seed = seed;
        const DynamicReport report = question.check();
        ++result.runs;
        if (report.verdict != RunVerdict::kAgrees)
          result.alarms.push_back({fixtures[k].name, precisions[i], seed, why_not(report)});
        add_deviations(report, result.deviations[i]);
        ended = !goes_on();
      }
    }
  }
  for (Deviations& one : result.deviations) std::sort(one.measured.begin(), one.measured.end());
  return result;
}

double quantile(const std::vector<double>& sorted, double p) {
  ASSAY_CHECK(!sorted.empty(), "a quantile is an element");
  const double place = p * static_cast<double>(sorted.size());
  return sorted[std::min(static_cast<size_t>(place), sorted.size() - 1)];
}

}  // namespace assay::bench
