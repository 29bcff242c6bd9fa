#include "dynamic_check/references.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "dynamic_check/execute/rank_threads.h"
#include "dynamic_check/float8_products.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/raise_spreads.h"
#include "dynamic_check/record.h"
#include "dynamic_check/target_values.h"
#include "dynamic_check/tolerance/perturbed_run.h"
#include "dynamic_check/tolerance/rounding.h"
#include "dynamic_check/traces/run_trace.h"
#include "shared_ir/cast.h"
#include "shared_ir/trace/trace_folder.h"

namespace assay {
namespace {

// One run of the sequential program. Owned by its thread as well, which may be stuck and outlive
// the check.
struct SequentialRun {
  Graph graph;
  RankProgram program;
  std::map<std::string, at::Tensor> inputs;
  std::map<std::string, bool> differentiable;
  std::optional<TargetValues> values;
  RecordedTensors recorded;         // filled in a float8 run, whose products read it
  std::unique_ptr<RunTrace> trace;  // may be none
};

using ReferenceList = std::vector<ReferenceTensor>;

class SequentialSide {
 public:
  SequentialSide(const Case& refinement, const Targets& targets, const Programs& programs,
                 const RunInputs& inputs, const DynamicOptions& options)
      : refinement_(refinement),
        targets_(targets),
        programs_(programs),
        inputs_(inputs),
        options_(options),
        rounds_(rounding_nodes(refinement.sequential)),
        wanted_(sequential_leaves(refinement.sequential, targets)) {}

  References make() {
    References result;
    // Shared with the runs' threads, of which a stuck one outlives the check.
    const auto tensors = std::make_shared<ReferenceList>(targets_.list.size());
    const auto list = [tensors](size_t i) -> ReferenceTensor& { return (*tensors)[i]; };
    tell(options_.progress, "sequential run", 1, options_.samples + 1);
    result.failure =
        run_once(0, [list](size_t i, const at::Tensor& run) { list(i) = reference_of(run); });
    if (result.failure) return result;
    tell(options_.progress, "sequential run in float64");
    see_exactly([&](size_t i, const at::Tensor& exact) {
      if (is_floating(list(i))) list(i).spread.emplace(exact.to(device()));
    });
    for (int sample = 1; sample <= options_.samples && !result.failure; ++sample) {
      tell(options_.progress, "sequential run", sample + 1, options_.samples + 1);
      result.failure = run_once(
          sample, [list](size_t i, const at::Tensor& noisy) { add_sample(list(i), noisy); });
    }
    if (!result.failure) result.tensors = std::move(*tensors);
    return result;
  }

  // Rounding to float8 is no small noise: what one estimate of it misses, and the decisions that it
  // turns over (a router's), show in more runs.
  void add_more_runs(References& references) {
    constexpr int kEstimates = 10;
    for (int estimate = 1; estimate <= kEstimates; ++estimate) {
      const auto more = std::make_shared<ReferenceList>();
      std::ranges::transform(references.tensors, std::back_inserter(*more), without_samples);
      for (int sample = 1; sample <= options_.samples; ++sample) {
        const auto failure =
            run_once(estimate * options_.samples + sample,
                     [more](size_t i, const at::Tensor& noisy) { add_sample((*more)[i], noisy); });
        if (failure) return;
      }
      for (size_t i = 0; i < more->size(); ++i) {
        ReferenceTensor& reference = references.tensors[i];
        if (reference.spread) reference.spread->raise_to(*(*more)[i].spread);
        reference.unstable = reference.unstable || (*more)[i].unstable;
      }
    }
  }

 private:
  static bool is_floating(const ReferenceTensor& reference) {
    return at::isFloatingType(reference.dtype);
  }

  // Sample 0 is the ordinary run.
  std::optional<RunFailure> run_once(int sample, TargetValues::Told told) {
    auto run = std::make_shared<SequentialRun>();
    run->graph = refinement_.sequential;
    run->program = programs_.sequential;
    run->differentiable = inputs_.differentiable;
    run->values.emplace(run->graph, targets_, std::move(told));
    run->recorded.resize(run->graph.tensors.size());
    if (!options_.traces.empty()) {
      const TraceFolder folder{options_.traces};
      run->trace = trace(sample == 0                  ? folder.base()
                         : sample <= options_.samples ? folder.sample(sample)
                                                      : folder.further(sample - options_.samples),
                         run->graph, options_.precision);
    }
    const Noise noise = noise_of(sample);
    for (const auto& [name, tensor] : inputs_.whole) {
      run->inputs[name] = noisy_input(name, tensor, noise).to(device());
      const TensorId id = run->graph.find(name);
      if (id == kNone) continue;
      run->recorded[static_cast<size_t>(id)] = run->inputs[name];
      run->values->see(id, run->inputs[name]);
      if (run->trace) run->trace->add(id, run->inputs[name]);
    }
    const auto perturb = [rounds = rounds_, noise](NodeId node,
                                                   std::span<const at::Tensor> outputs) {
      if (noise.relative == 0 || !rounds[static_cast<size_t>(node)]) return;
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].defined() || !outputs[i].is_floating_point()) continue;
        add_noise(node, i, outputs[i], noise);
      }
    };
    const bool float8 = is_float8(options_.precision);
    const auto round = [run, float8, product_noise = product_noise(sample),
                        precision = options_.precision](NodeId node,
                                                        std::span<const at::Tensor> outputs) {
      const auto recorded = [&](TensorId id) { return run->recorded[static_cast<size_t>(id)]; };
      if (float8) round_product(run->graph, node, precision, recorded, outputs, product_noise);
    };
    const RankThreadOptions thread{
        .timeout = options_.timeout, .device = device(), .completion = {}};
    return run_rank_threads(Mesh(), thread, [run, perturb, round, float8](RankEnvironment& rank) {
      run_recorded(run->program, rank, run->graph, run->inputs, run->differentiable,
                   [&](NodeId node, std::span<const at::Tensor> outputs) {
                     round(node, outputs);
                     perturb(node, outputs);
                     if (float8) keep_outputs(run->graph, node, outputs, run->recorded);
                     run->values->see_outputs(run->graph.nodes[static_cast<size_t>(node)], outputs);
                     if (run->trace) run->trace->add_outputs(node, outputs);
                   });
      run->values->finish();
      if (run->trace) run->trace->finish();
    });
  }

  std::unique_ptr<RunTrace> trace(const std::filesystem::path& file, const Graph& graph,
                                  DType precision) const {
    return std::make_unique<RunTrace>(
        file, graph, TraceRun{refinement_.name, 0, 1, precision, options_.seed, {}});
  }

  void keep_exact(const Values& computed) const {
    const auto kept =
        trace(TraceFolder{options_.traces}.exact(), refinement_.sequential, DType::kFloat64);
    kept->add_all(computed);
    kept->finish();
  }

  // The graph in float64.
  void see_exactly(TargetValues::Told told) const {
    const bool keeps_trace = !options_.traces.empty();
    std::map<RankTensorName, at::Tensor> inputs;
    for (const auto& [name, tensor] : inputs_.whole) inputs[{name, 0}] = widened(tensor);
    const auto wanted = [&](Rank, TensorId id) { return keeps_trace || wanted_.contains(id); };
    const Values computed =
        interpret_with_noise({refinement_.sequential}, refinement_.sequential_groups,
                             std::move(inputs), noise_of(0), wanted)
            .front();
    TargetValues values(refinement_.sequential, targets_, std::move(told));
    values.see_all(computed);
    if (keeps_trace) keep_exact(computed);
  }

  Noise noise_of(int sample) const {
    return {sample == 0 ? 0 : unit_roundoff(storage_dtype(options_.precision)), options_.seed,
            sample};
  }

  // Of the factors of matrix products in a float8 run.
  Noise product_noise(int sample) const {
    return {sample == 0 ? 0 : unit_roundoff(options_.precision), options_.seed, sample};
  }

  at::Device device() const { return options_.cuda ? at::kCUDA : at::kCPU; }

  const Case& refinement_;
  const Targets& targets_;
  const Programs& programs_;
  const RunInputs& inputs_;
  const DynamicOptions& options_;
  const std::vector<bool> rounds_;  // per node
  const std::set<TensorId> wanted_;
};

}  // namespace

References make_references(const Case& refinement, const Targets& targets, const Programs& programs,
                           const RunInputs& inputs, const DynamicOptions& options) {
  return SequentialSide(refinement, targets, programs, inputs, options).make();
}

void add_exact_samples(References& references, const Case& refinement, const Targets& targets,
                       const Programs& programs, const RunInputs& inputs,
                       const DynamicOptions& options) {
  raise_by_graphs(references.tensors, refinement, targets, inputs, options);
  if (!is_float8(options.precision)) return;
  SequentialSide(refinement, targets, programs, inputs, options).add_more_runs(references);
}

}  // namespace assay
