// dynamic_bench: what the dynamic layer costs, and the tolerances that it derives, for every
// fixture in float32 and bfloat16. Time is that of one dynamic_check. Counters, all from the same
// process:
//   over_needed_runs    that time over the bare time of the program runs that the check needs
//   over_one_run_each   that time over the bare time of one sequential and one distributed run
//   compared            sequential tensors that were compared
//   tolerance_*         relative errors allowed, over the tensors that round
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/bare_runs.h"
#include "bench/question.h"
#include "fixtures/catalog.h"

namespace assay::bench {
namespace {

using benchmark::State;

template <typename Function>
double seconds(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void count_tolerances(const DynamicReport& report, State& state) {
  std::vector<double> allowed;
  for (const DynamicReport::Tolerance& tolerance : report.tolerances) {
    if (tolerance.allowed > 0) allowed.push_back(tolerance.allowed);
  }
  if (allowed.empty()) return;
  std::sort(allowed.begin(), allowed.end());
  state.counters["tolerance_min"] = allowed.front();
  state.counters["tolerance_median"] = allowed[allowed.size() / 2];
  state.counters["tolerance_max"] = allowed.back();
}

// The three times are taken in turn, so that a change of the machine's load meets them alike.
void measure(State& state, const Question& question) {
  const BareRuns bare(question.refinement, question.programs, question.options);
  bare.one_each();  // the first run pays for what LibTorch sets up
  DynamicReport report;
  double check = 0;
  double needed = 0;
  double one_each = 0;
  for (auto _ : state) {
    const double once = seconds([&] { report = question.check(); });
    state.SetIterationTime(once);
    check += once;
    needed += seconds([&] { bare.all_needed(); });
    one_each += seconds([&] { bare.one_each(); });
  }
  if (report.verdict != RunVerdict::kAgrees) return state.SkipWithError(why_not(report).c_str());
  state.counters["over_needed_runs"] = check / needed;
  state.counters["over_one_run_each"] = check / one_each;
  state.counters["compared"] = static_cast<double>(report.compared);
  count_tolerances(report, state);
}

void add(const RefinementSpec& spec, DType precision) {
  // Google Benchmark calls a benchmark several times; the proof is made once.
  auto question = std::make_shared<std::unique_ptr<Question>>();
  const std::string name = "run/" + std::string(to_string(precision)) + "/" + spec.name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&spec, precision, question](State& state) {
                                 if (!*question) {
                                   *question = std::make_unique<Question>(spec, precision);
                                 }
                                 measure(state, **question);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::vector<assay::RefinementSpec> fixtures = assay::fixtures::right_fixtures();
  for (const assay::RefinementSpec& spec : fixtures) {
    for (assay::DType precision : {assay::DType::kFloat32, assay::DType::kBFloat16}) {
      assay::bench::add(spec, precision);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
