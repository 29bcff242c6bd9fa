#include "bench/calibration/clean_runs.h"

#include <algorithm>
#include <limits>

#include "bench/question.h"
#include "shared_ir/error.h"

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
                    const std::function<void()>& progress) {
  const auto questions = static_cast<int64_t>(fixtures.size() * precisions.size());
  ASSAY_CHECK(questions > 0, "there is something to run");
  const int64_t seeds = (runs + questions - 1) / questions;
  CleanRuns result;
  uint64_t seed = first_seed;
  for (const DType precision : precisions) {
    Deviations deviations{precision, std::numeric_limits<double>::infinity(), {}};
    for (const RefinementSpec& fixture : fixtures) {
      Question question(fixture, precision);
      for (int64_t i = 0; i < seeds; ++i, ++seed) {
        question.options.seed = seed;
        const DynamicReport report = question.check();
        ++result.runs;
        if (report.verdict != Verdict::kProved)
          result.alarms.push_back({fixture.name, precision, seed, why_not(report)});
        add_deviations(report, deviations);
        progress();
      }
    }
    std::sort(deviations.measured.begin(), deviations.measured.end());
    result.deviations.push_back(std::move(deviations));
  }
  return result;
}

double quantile(const std::vector<double>& sorted, double p) {
  ASSAY_CHECK(!sorted.empty(), "a quantile is an element");
  const double place = p * static_cast<double>(sorted.size());
  return sorted[std::min(static_cast<size_t>(place), sorted.size() - 1)];
}

}  // namespace assay::bench
