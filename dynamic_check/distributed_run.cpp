#include "dynamic_check/distributed_run.h"

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <memory>
#include <mutex>

#include "dynamic_check/execute/rank_threads.h"
#include "dynamic_check/interpret/boxed_call.h"

namespace assay {
namespace {

// Owned by the rank threads as well, of which a stuck one may outlive the check.
struct SharedRun {
  std::vector<Graph> graphs;
  RankProgram program;
  std::vector<std::map<std::string, at::Tensor>> inputs;
  std::vector<std::map<std::string, bool>> differentiable;
  std::vector<RecordedTensors> recorded;
  KernelHook kernel;
};

void observe(SharedRun& run, Rank rank, NodeId id, std::span<const at::Tensor> outputs) {
  const Graph& graph = run.graphs[static_cast<size_t>(rank)];
  RecordedTensors& recorded = run.recorded[static_cast<size_t>(rank)];
  if (run.kernel) {
    const Node& node = graph.nodes[static_cast<size_t>(id)];
    std::vector<at::Tensor> inputs;
    for (TensorId input : tensor_arguments(node))
      inputs.push_back(recorded[static_cast<size_t>(input)]);
    run.kernel({rank, node, inputs, outputs});
  }
  keep_outputs(graph, id, outputs, recorded);
}

class ParameterContext final : public ProgramContext {
 public:
  ParameterContext(RankEnvironment& environment, std::map<RankTensorName, at::Tensor>& made,
                   std::mutex& mutex)
      : environment_(environment), made_(made), mutex_(mutex) {}

  at::Tensor input(const std::string& name) override {
    throw UserError(
        {}, fmt::format("parameters are made before the run: there is no input {} yet", name));
  }
  void output(const std::string& name, const at::Tensor& tensor) override {
    std::lock_guard lock(mutex_);
    const bool is_new = made_.emplace(RankTensorName{name, rank()}, tensor.detach().clone()).second;
    if (!is_new)
      throw UserError({}, fmt::format("parameter {} is made twice on rank {}", name, rank()));
  }
  Rank rank() const override { return environment_.rank(); }
  const Mesh& mesh() const override { return environment_.mesh(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override {
    return environment_.group(axis);
  }

 private:
  RankEnvironment& environment_;
  std::map<RankTensorName, at::Tensor>& made_;
  std::mutex& mutex_;
};

at::Device device_of(const DynamicOptions& options) { return options.cuda ? at::kCUDA : at::kCPU; }

}  // namespace

DistributedRun run_distributed(const Case& refinement, const Programs& programs,
                               const RunInputs& inputs, const DynamicOptions& options) {
  auto run = std::make_shared<SharedRun>();
  run->graphs = refinement.ranks;
  run->program = programs.distributed;
  run->kernel = options.kernel;
  const size_t ranks = refinement.ranks.size();
  run->inputs.resize(ranks);
  run->differentiable.resize(ranks);
  run->recorded.resize(ranks);
  for (size_t rank = 0; rank < ranks; ++rank)
    run->recorded[rank].resize(run->graphs[rank].tensors.size());
  for (const auto& [name, tensor] : inputs.parts) {
    const auto rank = static_cast<size_t>(name.second);
    const at::Tensor part = tensor.to(device_of(options));
    run->inputs[rank][name.first] = part;
    run->differentiable[rank][name.first] = inputs.parts_differentiable.at(name);
    const TensorId id = run->graphs[rank].find(name.first);
    if (id != kNone) run->recorded[rank][static_cast<size_t>(id)] = part;
  }
  const RankThreadOptions threads{
      .timeout = options.timeout, .device = device_of(options), .completion = options.completion};
  DistributedRun result;
  result.failure = run_rank_threads(programs.mesh, threads, [run](RankEnvironment& environment) {
    const auto rank = static_cast<size_t>(environment.rank());
    run_recorded(run->program, environment, run->graphs[rank], run->inputs[rank],
                 run->differentiable[rank], [&](NodeId node, std::span<const at::Tensor> outputs) {
                   observe(*run, environment.rank(), node, outputs);
                 });
  });
  if (!result.failure) result.ranks = std::move(run->recorded);
  return result;
}

std::map<RankTensorName, at::Tensor> make_parameters(const Programs& programs,
                                                     const DynamicOptions& options) {
  struct Made {
    RankProgram program;
    std::map<RankTensorName, at::Tensor> tensors;
    std::mutex mutex;
  };
  auto made = std::make_shared<Made>();
  made->program = programs.parameters;
  if (!made->program) return {};
  const RankThreadOptions threads{
      .timeout = options.timeout, .device = device_of(options), .completion = {}};
  const auto failure =
      run_rank_threads(programs.mesh, threads, [made](RankEnvironment& environment) {
        ParameterContext context(environment, made->tensors, made->mutex);
        made->program(context);
      });
  if (failure) throw UserError({}, fmt::format("making the parameters: {}", failure->message));
  return made->tensors;
}

}  // namespace assay
