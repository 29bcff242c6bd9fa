// static_bench: the time of each stage of a proof, for every case that proves.
//   import    case file and graphs, with their checks
//   lower     captured operators to core operators; every check begins with it
//   check     the proof, with relations of the outputs alone
//   relations the proof, with relations of the inner tensors too, as the dynamic layer needs them
//   replay    the independent checker on the certificate of `relations`
// Counters: captured operators of both sides, time per captured operator, and what each stage made.
#include <benchmark/benchmark.h>

#include "bench/case_folders.h"
#include "bench/proved_case.h"
#include "shared_ir/lower/lower.h"
#include "static_check/checker/checker.h"

namespace assay::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

void count_operators(const ProvedCase& proved, State& state) {
  const StaticReport::Counts& counts = proved.result.report.counts;
  const auto sequential = static_cast<double>(counts.sequential_ops);
  const auto distributed = static_cast<double>(counts.distributed_ops);
  state.counters["sequential_ops"] = sequential;
  state.counters["distributed_ops"] = distributed;
  state.counters["time_per_op"] =
      Counter(sequential + distributed, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void import(State& state, const ProvedCase& proved) {
  for (auto _ : state) benchmark::DoNotOptimize(load_case(proved.folder));
  count_operators(proved, state);
}

void lower_both(State& state, const ProvedCase& proved) {
  const Case& refinement = proved.refinement;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        lower(refinement.sequential, refinement.sequential_groups, 0, proved.operators));
    for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
      benchmark::DoNotOptimize(lower(refinement.ranks[rank], refinement.distributed_groups,
                                     static_cast<Rank>(rank), proved.operators));
    }
  }
  count_operators(proved, state);
}

void check(State& state, const ProvedCase& proved, bool inner_relations) {
  StaticOptions options;
  options.relations = inner_relations;
  options.verify = false;
  StaticResult result;
  for (auto _ : state) result = static_check(proved.refinement, proved.operators, options);
  if (result.report.verdict != Verdict::kProved) state.SkipWithError("no longer proved");
  count_operators(proved, state);
  state.counters["atoms"] = static_cast<double>(result.certificate.universe.atoms.size());
  state.counters["relations"] = static_cast<double>(result.certificate.relations.size());
}

void replay(State& state, const ProvedCase& proved) {
  CheckResult result;
  for (auto _ : state) {
    result = check_certificate(proved.refinement, proved.sequential, proved.ranks,
                               proved.result.certificate);
  }
  if (!result.accepted) state.SkipWithError(("rejected: " + result.reason).c_str());
  count_operators(proved, state);
  state.counters["claims"] = static_cast<double>(result.claims);
  state.counters["probes"] = static_cast<double>(result.probes);
}

template <typename Stage>
void add(const std::string& stage, const ProvedCase& proved, Stage run) {
  benchmark::RegisterBenchmark((stage + "/" + proved.refinement.name).c_str(), [run, &proved](
                                                                                   State& state) {
    run(state, proved);
  })->Unit(benchmark::kMillisecond);
}

void add_stages(const ProvedCase& proved) {
  add("import", proved, import);
  add("lower", proved, lower_both);
  add("check", proved, [](State& state, const ProvedCase& of) { check(state, of, false); });
  add("relations", proved, [](State& state, const ProvedCase& of) { check(state, of, true); });
  add("replay", proved, replay);
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const assay::bench::Survey found = assay::bench::survey(assay::bench::case_folders());
  for (const auto& [name, why] : found.not_proved) {
    benchmark::AddCustomContext("not proved: " + name, why);
  }
  for (const auto& proved : found.proved) assay::bench::add_stages(*proved);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
