#include "dynamic_check/check.h"

#include <fmt/format.h>

#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/judge.h"
#include "dynamic_check/keep/keep.h"
#include "dynamic_check/localize/localize.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/cast.h"
#include "shared_ir/trace/trace_folder.h"

namespace assay {
namespace {

void check_options(const Case& refinement, const Programs& programs,
                   const DynamicOptions& options) {
  if (options.samples < 3) throw UserError({}, "a tolerance needs at least 3 samples");
  if (!is_floating(options.precision))
    throw UserError({}, fmt::format("no run is in {}", to_string(options.precision)),
                    "use a floating type: float32, bfloat16, float16, float8_e4m3fn, ...");
  if (options.cuda && usable_gpus() == 0)
    throw UserError({}, "the programs are to run on a GPU, and this process sees none",
                    "unset ASSAY_DEVICE, or see that nvidia-smi lists a GPU here");
  if (static_cast<int64_t>(refinement.ranks.size()) != programs.mesh.world_size()) {
    throw UserError({}, fmt::format("the case has {} ranks, the mesh {}", refinement.ranks.size(),
                                    programs.mesh.world_size()));
  }
}

// What each rank recorded.
void keep_traces(const Case& refinement, const DistributedRun& run, const DynamicOptions& options) {
  const auto ranks = static_cast<Rank>(run.ranks.size());
  for (Rank rank = 0; rank < ranks; ++rank) {
    RunTrace trace(TraceFolder{options.traces}.rank(rank),
                   refinement.ranks[static_cast<size_t>(rank)],
                   {refinement.name, rank, ranks, options.precision, options.seed, {}});
    trace.add_all(run.ranks[static_cast<size_t>(rank)]);
    trace.finish();
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
      report.verdict = RunVerdict::kStuck;
      deviation.kind = "timeout";
      break;
    case RunFailure::Kind::kMismatch:
      report.verdict = RunVerdict::kDeviates;
      deviation.kind = "collective_mismatch";
      break;
    case RunFailure::Kind::kError:
      report.verdict = RunVerdict::kFailed;
      deviation.kind = "run_failed";
      break;
  }
  report.deviations = 1;
  report.triage = "runtime";
  report.first_deviation = std::move(deviation);
}

}  // namespace

DynamicReport dynamic_check(const Case& refinement, const std::vector<Relation>& relations,
                            Verdict static_verdict, const Programs& programs,
                            const DynamicOptions& options, const RankViews& views) {
  const auto start = std::chrono::steady_clock::now();
  check_options(refinement, programs, options);
  const ReusedMemory memory;
  const UnfilledMemory unfilled;  // of what runs here and not on a rank's thread
  set_copy_memory(options.copy_memory);
  DynamicReport report;
  report.precision = to_string(options.precision);
  report.family_false_positive_rate = options.family_rate;
  report.samples = options.samples;
  report.seed = options.seed;
  for (const DynamicInput& input : programs.inputs)
    if (input.guessed_role && !input.self_made)
      report.guessed_inputs.push_back(input.name + ": a scale, near 1");
  auto finish = [&] {
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    report.ms = elapsed.count();
    return report;
  };

  const Targets targets = make_targets(refinement, relations, views);
  if (!options.traces.empty()) {
    TraceFolder{options.traces}.prepare();
    save_case(refinement, options.traces);
  }
  const SelfMade self_made =
      check_self_made(refinement, programs.inputs, make_parameters(programs, options));
  if (self_made.broken) {
    report.verdict = RunVerdict::kDeviates;
    report.triage = "input_relation";
    report.deviations = 1;
    report.first_deviation = self_made.broken;
    return finish();
  }
  const at::Device device = options.device();
  // Stages, and other processes, get theirs from the host.
  const bool all_here = options.executor == nullptr && options.reference_stages.empty();
  const RunInputs inputs = make_run_inputs(refinement, programs.inputs, self_made,
                                           storage_dtype(options.precision), options.seed)
                               .on(all_here ? device : at::kCPU);
  References references = make_references(refinement, targets, programs, inputs, options);
  for (size_t i = 0; i < references.stage_bytes.size(); ++i)
    report.reference_stages.push_back({options.reference_stages[i], references.stage_bytes[i]});
  if (references.failure) {
    report_failure(*references.failure, refinement.sequential, report);
    return finish();
  }
  DynamicOptions on_ranks = options;
  on_ranks.kernel = kernels_of(options.precision, options.kernel);
  tell(options.progress, "distributed run");
  const DistributedRun run = run_distributed(refinement, programs, inputs, on_ranks);
  if (run.failure) {
    const Graph& graph = refinement.ranks[static_cast<size_t>(run.failure->rank)];
    report_failure(*run.failure, graph, report);
    return finish();
  }
  if (!options.traces.empty()) keep_traces(refinement, run, options);
  const RankTensors ranks = rank_tensors(run.ranks);
  const Allowance allowance{options.samples, options.family_rate};
  const auto reference = [&](size_t target) {
    return on_device(references.tensors[target], device);
  };
  const auto judge = [&] {
    return find_deviations(refinement, targets, reference, ranks, allowance, options.progress);
  };
  Findings findings =
      findings_after_reruns(judge, references, refinement, targets, programs, inputs, options);
  if (references.failure) {
    report_failure(*references.failure, refinement.sequential, report);
    return finish();
  }
  report.incomplete = references.incomplete;
  JudgedOperators judged = find_faults(refinement, ranks, options.seed, options.family_rate,
                                       options.precision, options.progress);
  findings.faults = std::move(judged.faults);
  findings.operators = std::move(judged.operators);
  triage(findings, refinement, targets, static_verdict, report);
  return finish();
}

}  // namespace assay
