#include "dynamic_check/run/execute/threads/thread_executor.h"

#include <ATen/core/Tensor.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "dynamic_check/run/execute/threads/rank_threads.h"

namespace assay {
namespace {

// Owned by the rank threads as well, of which a stuck one may outlive the check.
struct SharedRun {
  std::vector<Graph> graphs;
  RankProgram program;
  std::vector<ProgramInputs> inputs;  // by rank
  std::vector<RecordedTensors> recorded;
  std::vector<std::atomic<NodeId>> last;  // node, by rank
  KernelHook kernel;
};

void observe(SharedRun& run, Rank rank, NodeId id, std::span<const at::Tensor> outputs) {
  const Graph& graph = run.graphs[static_cast<size_t>(rank)];
  RecordedTensors& recorded = run.recorded[static_cast<size_t>(rank)];
  if (run.kernel) apply_kernel_hook(run.kernel, rank, graph, id, recorded, outputs);
  keep_outputs(graph, id, outputs, recorded);
  run.last[static_cast<size_t>(rank)] = id;
}

}  // namespace

DistributedRun ThreadExecutor::run(const Case& refinement, const Programs& programs,
                                   const RunInputs& inputs, const DynamicOptions& options) {
  auto run = std::make_shared<SharedRun>();
  run->graphs = refinement.ranks;
  run->program = programs.distributed;
  run->kernel = options.kernel;
  const size_t ranks = refinement.ranks.size();
  for (size_t rank = 0; rank < ranks; ++rank) {
    run->inputs.push_back(inputs.of_rank(static_cast<Rank>(rank), options.device()));
    run->recorded.push_back(recorded_inputs(run->graphs[rank], run->inputs[rank]));
  }
  run->last = std::vector<std::atomic<NodeId>>(ranks);
  for (std::atomic<NodeId>& last : run->last) last = kNone;
  const RankThreadOptions threads{
      .timeout = options.timeout, .device = options.device(), .completion = options.completion};
  DistributedRun result;
  result.failure = run_rank_threads(programs.mesh, threads, [run](RankEnvironment& environment) {
    const auto rank = static_cast<size_t>(environment.rank());
    run_recorded(run->program, environment, run->graphs[rank], run->inputs[rank],
                 [&](NodeId node, std::span<const at::Tensor> outputs) {
                   observe(*run, environment.rank(), node, outputs);
                 });
  });
  if (result.failure) {
    result.failure->last = run->last[static_cast<size_t>(result.failure->rank)];
  } else {
    result.ranks = std::move(run->recorded);
  }
  return result;
}

ParameterRun ThreadExecutor::make_parameters(const Programs& programs,
                                             const DynamicOptions& options) {
  struct Made {
    RankProgram program;
    std::map<RankTensorName, at::Tensor> tensors;
    std::mutex mutex;
  };
  auto made = std::make_shared<Made>();
  made->program = programs.parameters;
  const RankThreadOptions threads{
      .timeout = options.timeout, .device = options.device(), .completion = {}};
  ParameterRun result;
  result.failure = run_rank_threads(programs.mesh, threads, [made](RankEnvironment& environment) {
    run_parameters(made->program, environment, [&](const std::string& name, const at::Tensor& t) {
      std::lock_guard lock(made->mutex);
      made->tensors.emplace(RankTensorName{name, environment.rank()}, t.detach().clone());
    });
  });
  if (!result.failure) result.made = std::move(made->tensors);
  return result;
}

}  // namespace assay
