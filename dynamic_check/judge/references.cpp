#include "dynamic_check/judge/references.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "dynamic_check/judge/raise_spreads.h"
#include "dynamic_check/judge/rank_noise.h"
#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/cast.h"
#include "shared_ir/trace/trace_folder.h"

namespace assay {
namespace {

// What a run of the sequential program needs. Owned by its thread as well, which may be stuck and
// outlive the check.
struct ProgramRun {
  ProgramRun(const Graph& graph, const RunNoise& noise, const Targets& targets,
             TargetValues::Told told, at::Device device)
      : seen(graph, noise, targets, std::move(told), device) {}

  SequentialRun seen;
  RankProgram program;
  ProgramInputs inputs;
  RecordedTensors recorded;  // what a float8 run's products read
  bool records = false;
  std::shared_ptr<const StagedGraph> stages;  // they run instead of the program
  std::vector<int64_t> stage_bytes;           // that they held at most
};

void run_program(ProgramRun& run, RankEnvironment& rank) {
  const Graph& graph = run.seen.graph();
  for (auto& [name, tensor] : run.inputs.tensors) tensor = run.seen.input(name, tensor);
  run.recorded = recorded_inputs(graph, run.inputs);
  const auto recorded = [&](TensorId id) { return run.recorded[static_cast<size_t>(id)]; };
  run_recorded(run.program, rank, graph, run.inputs,
               [&](NodeId node, std::span<const at::Tensor> outputs) {
                 run.seen.see_outputs(node, outputs, recorded);
                 if (run.records) keep_outputs(graph, node, outputs, run.recorded);
               });
  run.seen.finish();
}

using ReferenceList = std::vector<ExpectedTensor>;

class SequentialSide {
 public:
  SequentialSide(const Case& refinement, const Targets& targets, const Programs& programs,
                 const RunInputs& inputs, const DynamicOptions& options)
      : refinement_(refinement),
        targets_(targets),
        programs_(programs),
        inputs_(inputs),
        options_(options),
        stages_(staged_graph(refinement, options, Arithmetic::kAsRecorded)),
        stage_bytes_(options.reference_stages.size(), 0) {}

  References make() {
    References result;
    // Shared with the runs' threads, of which a stuck one outlives the check.
    const auto tensors = std::make_shared<ReferenceList>(targets_.list.size());
    const auto list = [tensors](size_t i) -> ExpectedTensor& { return (*tensors)[i]; };
    tell(options_.progress, "sequential run", 1, options_.samples + 1);
    result.failure =
        run_once(0, [list](size_t i, const at::Tensor& run) { list(i) = reference_of(run); });
    if (result.failure) return result;
    tell(options_.progress, "sequential run in float64");
    see_exactly([&](size_t i, const at::Tensor& exact) {
      if (is_floating(list(i))) list(i).spread = spread_of(list(i), exact.to(device()));
    });
    result.failure =
        add_samples([list](size_t i, const at::Tensor& noisy) { add_sample(list(i), noisy); });
    if (!result.failure) result.tensors = std::move(*tensors);
    result.stage_bytes = stage_bytes_;
    return result;
  }

  // Makes the spreads of these targets again, of exact values.
  void make_exact(References& references, const std::set<size_t>& targets) {
    const auto tensors = std::make_shared<std::map<size_t, ExpectedTensor>>();
    for (const size_t i : targets) tensors->emplace(i, references.tensors[i]);
    tell(options_.progress, "sequential run in float64");
    see_exactly([&](size_t i, const at::Tensor& exact) {
      if (targets.contains(i)) tensors->at(i).spread.emplace(kept(exact.to(device())));
    });
    references.failure = add_samples([tensors](size_t i, const at::Tensor& noisy) {
      if (const auto found = tensors->find(i); found != tensors->end())
        add_sample(found->second, noisy);
    });
    for (const auto& [i, tensor] : *tensors) references.tensors[i] = tensor;
  }

  // Raises each spread to that of as many further runs, so many times. `kernel_threads`: as
  // RankThreadOptions has them.
  void add_estimates(References& references, int estimates, int kernel_threads) {
    for (int estimate = 0; estimate < estimates; ++estimate) {
      const auto more = std::make_shared<ReferenceList>();
      std::ranges::transform(references.tensors, std::back_inserter(*more), without_samples);
      for (int sample = 1; sample <= options_.samples; ++sample) {
        const auto failure = run_once(
            options_.samples + ++further_runs_,
            [more](size_t i, const at::Tensor& noisy) { add_sample((*more)[i], noisy); },
            kernel_threads);
        if (failure) {
          references.incomplete.push_back("a further run, which may raise tolerances: " +
                                          failure->message);
          return;
        }
      }
      for (size_t i = 0; i < more->size(); ++i) add_estimate(references.tensors[i], (*more)[i]);
    }
  }

 private:
  static bool is_floating(const ExpectedTensor& reference) {
    return at::isFloatingType(reference.dtype);
  }

  // Of a large value a sketch, for which both it and the run must be finite. With a trace the exact
  // value is kept anyway, and the figures are those that a comparison of the traces gives.
  Spread spread_of(const ExpectedTensor& reference, const at::Tensor& exact) const {
    const bool sketched = options_.traces.empty() && exact.is_cpu() &&
                          exact.numel() > kLargestUnsketched && !reference.run.defined();
    auto spread = sketched ? Spread::sketched(exact) : std::nullopt;
    return spread ? std::move(*spread) : Spread(kept(exact));
  }

  // The perturbed runs.
  std::optional<RunFailure> add_samples(const TargetValues::Told& told) {
    std::optional<RunFailure> failure;
    for (int sample = 1; sample <= options_.samples && !failure; ++sample) {
      tell(options_.progress, "sequential run", sample + 1, options_.samples + 1);
      failure = run_once(sample, told);
    }
    return failure;
  }

  // Sample 0 is the ordinary run.
  std::optional<RunFailure> run_once(int sample, TargetValues::Told told, int kernel_threads = 0) {
    const auto run = std::make_shared<ProgramRun>(refinement_.sequential, noise_of(sample),
                                                  targets_, std::move(told), device());
    run->program = programs_.sequential;
    run->inputs = inputs_.of_sequential(device());
    run->records = is_float8(options_.precision);
    run->stages = stages_;
    if (!options_.traces.empty()) {
      const TraceFolder folder{options_.traces};
      run->seen.keep_trace(sample == 0                  ? folder.base()
                           : sample <= options_.samples ? folder.sample(sample)
                                                        : folder.further(sample - options_.samples),
                           traced(options_.precision));
    }
    const RankThreadOptions thread{.timeout = options_.timeout,
                                   .device = device(),
                                   .completion = {},
                                   .kernel_threads = kernel_threads};
    auto failure = run_rank_threads(Mesh(), thread, [run](RankEnvironment& rank) {
      if (run->stages)
        run->stage_bytes = run_in_stages(*run->stages, run->inputs.tensors, run->seen);
      else
        run_program(*run, rank);
    });
    if (!failure) note(run->stage_bytes);
    return failure;
  }

  // The graph in float64.
  void see_exactly(TargetValues::Told told) {
    SequentialRun run(refinement_.sequential, {.precision = DType::kFloat64}, targets_,
                      std::move(told), at::kCPU);
    if (!options_.traces.empty())
      run.keep_trace(TraceFolder{options_.traces}.exact(), traced(DType::kFloat64));
    if (stages_) {
      note(run_in_stages(*staged_graph(refinement_, options_, Arithmetic::kFloat64), inputs_.whole,
                         run));
      return;
    }
    std::map<RankTensorName, at::Tensor> inputs;
    for (const auto& [name, tensor] : inputs_.whole) inputs[{name, 0}] = tensor;
    const DeclaredOperators declared(refinement_.operator_files);
    interpret({refinement_.sequential}, refinement_.sequential_groups, inputs, {}, nothing_wanted,
              &declared, [&](Rank, TensorId id, const at::Tensor& value) { run.see(id, value); });
    run.finish();
  }

  TraceRun traced(DType precision) const {
    return {refinement_.name, 0, 1, precision, options_.seed, {}};
  }

  void note(const std::vector<int64_t>& stage_bytes) {
    for (size_t i = 0; i < stage_bytes.size(); ++i)
      stage_bytes_[i] = std::max(stage_bytes_[i], stage_bytes[i]);
  }

  RunNoise noise_of(int sample) const {
    const auto noise = [&](DType dtype) {
      return Noise{sample == 0 ? 0 : unit_roundoff(dtype), options_.seed, sample};
    };
    return {.precision = options_.precision,
            .rounding = noise(storage_dtype(options_.precision)),
            .products = noise(options_.precision)};
  }

  // Where references are: those of stages in no device's memory.
  at::Device device() const { return stages_ ? at::kCPU : options_.device(); }

  const Case& refinement_;
  const Targets& targets_;
  const Programs& programs_;
  const RunInputs& inputs_;
  const DynamicOptions& options_;
  const std::shared_ptr<const StagedGraph> stages_;  // none: the program runs
  std::vector<int64_t> stage_bytes_;                 // held at most, in all runs
  int further_runs_ = 0;                             // beyond options_.samples
};

bool has_float8(const Case& refinement) {
  const auto is_one = [](const Tensor& tensor) { return is_float8(tensor.dtype); };
  return std::ranges::any_of(refinement.sequential.tensors, is_one) ||
         std::ranges::any_of(refinement.ranks, [&](const Graph& rank) {
           return std::ranges::any_of(rank.tensors, is_one);
         });
}

}  // namespace

References make_references(const Case& refinement, const Targets& targets, const Programs& programs,
                           const RunInputs& inputs, const DynamicOptions& options) {
  return SequentialSide(refinement, targets, programs, inputs, options).make();
}

void make_exact(References& references, const std::set<size_t>& which, const Case& refinement,
                const Targets& targets, const Programs& programs, const RunInputs& inputs,
                const DynamicOptions& options) {
  SequentialSide(refinement, targets, programs, inputs, options).make_exact(references, which);
}

void add_exact_samples(References& references, const Case& refinement, const Targets& targets,
                       const Programs& programs, const RunInputs& inputs,
                       const DynamicOptions& options) {
  raise_by_sequential_graph(references.tensors, refinement, targets, inputs, options);
  SequentialSide side(refinement, targets, programs, inputs, options);
  if (!options.cuda && at::get_num_threads() > 1) side.add_estimates(references, 1, 1);
  // Rounding to float8 is no small noise: what one estimate of it misses, and the decisions that it
  // turns over (a router's), show in more runs.
  constexpr int kFloat8Estimates = 10;
  if (is_float8(options.precision) || has_float8(refinement))
    side.add_estimates(references, kFloat8Estimates, 0);
  std::string why_not = raise_by_ranks(references.tensors, refinement, targets, inputs, options);
  if (!why_not.empty()) references.incomplete.push_back(std::move(why_not));
}

}  // namespace assay
