#include "dynamic_check/references.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <memory>
#include <set>

#include "dynamic_check/execute/rank_threads.h"
#include "dynamic_check/float8_products.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/raise_spreads.h"
#include "dynamic_check/record.h"
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
  std::set<TensorId> wanted;
  bool keeps_all = false;  // operators read what was recorded
  RecordedTensors recorded;
  std::unique_ptr<RunTrace> trace;  // may be none
};

class SequentialSide {
 public:
  SequentialSide(const Case& refinement, const Targets& targets, const Programs& programs,
                 const RunInputs& inputs, const DynamicOptions& options)
      : refinement_(refinement),
        targets_(targets),
        programs_(programs),
        inputs_(inputs),
        options_(options),
        rounds_(rounding_nodes(refinement.sequential)) {
    for (const Target& target : targets.list) {
      for (const auto& [name, rank] : leaves_of(target.sequential))
        wanted_.insert(refinement.sequential.find(name));
    }
  }

  References make() {
    References result;
    auto run = run_once(0, result.failure);
    if (result.failure) return result;
    const std::vector<at::Tensor> ordinary = values(run->recorded);
    const Values computed = interpret_exactly();
    const std::vector<at::Tensor> exact = values(computed);
    if (!options_.traces.empty()) keep_exact(computed);
    for (size_t i = 0; i < ordinary.size(); ++i) {
      ReferenceTensor reference{.run = ordinary[i], .spread = std::nullopt};
      if (ordinary[i].is_floating_point())
        reference.spread.emplace(exact[i].to(ordinary[i].device()));
      result.tensors.push_back(std::move(reference));
    }
    for (int sample = 1; sample <= options_.samples; ++sample) {
      run = run_once(sample, result.failure);
      if (result.failure) return result;
      const std::vector<at::Tensor> perturbed_values = values(run->recorded);
      for (size_t i = 0; i < result.tensors.size(); ++i)
        add_sample(result.tensors[i], perturbed_values[i]);
    }
    return result;
  }

  // Rounding to float8 is no small noise: what one estimate of it misses, and the decisions that it
  // turns over (a router's), show in more runs.
  void add_more_runs(References& references) {
    constexpr int kEstimates = 10;
    for (int estimate = 1; estimate <= kEstimates; ++estimate) {
      std::vector<std::optional<Spread>> more = spreads_like(references);
      for (int sample = 1; sample <= options_.samples; ++sample) {
        std::optional<RunFailure> failure;
        const auto run = run_once(estimate * options_.samples + sample, failure);
        if (failure) return;
        const std::vector<at::Tensor> noisy = values(run->recorded);
        for (size_t i = 0; i < more.size(); ++i) {
          if (more[i])
            more[i]->add(noisy[i]);
          else
            add_sample(references.tensors[i], noisy[i]);
        }
      }
      for (size_t i = 0; i < more.size(); ++i)
        if (more[i]) references.tensors[i].spread->raise_to(*more[i]);
    }
  }

 private:
  static std::vector<std::optional<Spread>> spreads_like(const References& references) {
    std::vector<std::optional<Spread>> spreads;
    for (const ReferenceTensor& reference : references.tensors) {
      spreads.emplace_back();
      if (reference.spread) spreads.back().emplace(reference.spread->exact());
    }
    return spreads;
  }

  // Sample 0 is the ordinary run.
  std::shared_ptr<SequentialRun> run_once(int sample, std::optional<RunFailure>& failure) {
    auto run = std::make_shared<SequentialRun>();
    run->graph = refinement_.sequential;
    run->program = programs_.sequential;
    run->differentiable = inputs_.differentiable;
    run->wanted = wanted_;
    run->keeps_all = is_float8(options_.precision);
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
    failure = run_rank_threads(Mesh(), thread, [run, perturb, round](RankEnvironment& rank) {
      run_recorded(run->program, rank, run->graph, run->inputs, run->differentiable,
                   [&](NodeId node, std::span<const at::Tensor> outputs) {
                     round(node, outputs);
                     perturb(node, outputs);
                     keep_wanted(*run, node, outputs);
                     if (run->trace) run->trace->add_outputs(node, outputs);
                   });
      if (run->trace) run->trace->finish();
    });
    return run;
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

  static void keep_wanted(SequentialRun& run, NodeId node, std::span<const at::Tensor> outputs) {
    if (run.keeps_all) return keep_outputs(run.graph, node, outputs, run.recorded);
    for (TensorId id : run.graph.nodes[static_cast<size_t>(node)].outputs) {
      if (run.wanted.contains(id)) return keep_outputs(run.graph, node, outputs, run.recorded);
    }
  }

  // The graph in float64.
  Values interpret_exactly() const {
    std::map<RankTensorName, at::Tensor> inputs;
    for (const auto& [name, tensor] : inputs_.whole) inputs[{name, 0}] = widened(tensor);
    return interpret_with_noise({refinement_.sequential}, refinement_.sequential_groups,
                                std::move(inputs), noise_of(0))
        .front();
  }

  Noise noise_of(int sample) const {
    return {sample == 0 ? 0 : unit_roundoff(storage_dtype(options_.precision)), options_.seed,
            sample};
  }

  // Of the factors of matrix products in a float8 run.
  Noise product_noise(int sample) const {
    return {sample == 0 ? 0 : unit_roundoff(options_.precision), options_.seed, sample};
  }

  std::vector<at::Tensor> values(const std::vector<at::Tensor>& tensors) const {
    std::vector<at::Tensor> result;
    for (const Target& target : targets_.list) {
      result.push_back(evaluate(target.sequential, [&](const RankTensorName& name) {
        const at::Tensor& tensor =
            tensors[static_cast<size_t>(refinement_.sequential.find(name.first))];
        if (!tensor.defined()) {
          throw UserError({}, fmt::format("the sequential run gave no value for {}", name.first));
        }
        return tensor;
      }));
    }
    return result;
  }

  at::Device device() const { return options_.cuda ? at::kCUDA : at::kCPU; }

  const Case& refinement_;
  const Targets& targets_;
  const Programs& programs_;
  const RunInputs& inputs_;
  const DynamicOptions& options_;
  const std::vector<bool> rounds_;  // per node
  std::set<TensorId> wanted_;
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
