#include "dynamic_check/run/execute/process_executor.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/run/execute/backends/process_backend.h"
#include "dynamic_check/run/execute/processes/anonymous_file.h"
#include "dynamic_check/run/execute/rank_job.h"

namespace assay {
namespace {

// One run of all ranks: what each got, and what each recorded.
class ProcessRun {
 public:
  ProcessRun(RankProcesses& processes, const Mesh& mesh, RankJob job)
      : processes_(processes), mesh_(mesh), job_(std::move(job)) {
    for (Rank rank = 0; rank < mesh.world_size(); ++rank) results_.push_back(make_anonymous_file());
  }

  // `inputs`: a trace and the differentiable ones, by rank; may be empty.
  struct Inputs {
    FileDescriptor trace;
    std::vector<std::string> differentiable;
  };

  std::optional<RunFailure> run(std::vector<Inputs> inputs) {
    const std::string lacking = missing_devices(job_.backend, mesh_);
    if (!lacking.empty()) throw UserError({}, lacking, "use fewer ranks, or gloo");
    const std::vector<MessageSocket*> sockets = processes_.sockets(mesh_);
    for (size_t rank = 0; rank < sockets.size(); ++rank) {
      try {
        RankJob job = job_;
        job.check = processes_.question().name;
        if (!inputs.empty()) {
          sockets[rank]->send_file(Message::Kind::kInputs, inputs[rank].trace);
          job.differentiable = inputs[rank].differentiable;
        }
        sockets[rank]->send(Message::Kind::kJob, job.payload());
      } catch (const SocketClosed&) {
        // The watch finds it closed, too.
      }
    }
    RunWatch watch(sockets, mesh_.groups(), processes_.limits(job_.timeout),
                   {.results =
                        [&](Rank rank, std::string_view bytes) {
                          append(results_[static_cast<size_t>(rank)], bytes);
                        },
                    .how_lost = [&](Rank rank) { return processes_.how_lost(rank); }});
    auto failure = watch.wait();
    if (failure) processes_.give_up(watch.unfinished());
    return failure;
  }

  TraceReader recorded(Rank rank) const {
    return TraceReader(path_of(results_[static_cast<size_t>(rank)]));
  }

 private:
  RankProcesses& processes_;
  const Mesh& mesh_;
  const RankJob job_;
  std::vector<FileDescriptor> results_;
};

RankJob job_of(RankJob::Kind kind, const std::string& backend, const Mesh& mesh,
               const DynamicOptions& options) {
  static int64_t runs = 0;
  const int threads = at::get_num_threads();
  return {.kind = kind,
          .check = {},  // of the processes
          .run = fmt::format("run-{}", ++runs),
          .backend = backend,
          .precision = options.precision,
          .timeout = options.timeout,
          .kernel_threads = std::max(1, threads / static_cast<int>(mesh.world_size())),
          .differentiable = {}};
}

std::vector<ProcessRun::Inputs> inputs_by_rank(const RunInputs& inputs, const Mesh& mesh,
                                               DType precision) {
  std::vector<ProcessRun::Inputs> result;
  for (Rank rank = 0; rank < mesh.world_size(); ++rank) {
    const ProgramInputs of_rank = inputs.of_rank(rank, at::kCPU);
    result.push_back(
        {make_anonymous_file(), {of_rank.differentiable.begin(), of_rank.differentiable.end()}});
    TraceWriter trace(path_of(result.back().trace),
                      {.program = "inputs",
                       .rank = rank,
                       .world_size = static_cast<Rank>(mesh.world_size()),
                       .precision = precision,
                       .seed = {},
                       .producer = {}});
    for (const auto& [name, tensor] : of_rank.tensors)
      add_tensor(trace, {.name = name, .op = {}, .source = {}, .shape = {}}, tensor);
    trace.finish();
  }
  return result;
}

void refuse_hooks(const DynamicOptions& options) {
  if (!options.completion) return;
  throw UserError({}, "a hook decides when collectives complete, and the ranks are processes",
                  "run this test on rank threads: options().executor = ExecutorKind::kThreads");
}

}  // namespace

std::string missing_devices(const std::string& backend, const Mesh& mesh) {
  const ProcessBackend& with = process_backend(backend);
  const int there = with.devices ? with.devices() : 0;
  if (!with.devices || there >= mesh.world_size()) return {};
  return fmt::format("this test needs {} GPUs for {}, and there are {}", mesh.world_size(), backend,
                     there);
}

DistributedRun ProcessExecutor::run(const Case& refinement, const Programs& programs,
                                    const RunInputs& inputs, const DynamicOptions& options) {
  refuse_hooks(options);
  ProcessRun process_run(processes_, programs.mesh,
                         job_of(RankJob::Kind::kProgram, backend_, programs.mesh, options));
  DistributedRun result;
  result.failure = process_run.run(inputs_by_rank(inputs, programs.mesh, options.precision));
  if (result.failure) return result;
  for (Rank rank = 0; rank < programs.mesh.world_size(); ++rank) {
    const Graph& graph = refinement.ranks[static_cast<size_t>(rank)];
    RecordedTensors& recorded =
        result.ranks.emplace_back(recorded_inputs(graph, inputs.of_rank(rank, options.device())));
    TraceReader trace = process_run.recorded(rank);
    for (size_t i = 0; i < trace.tensors().size(); ++i) {
      const TensorId id = graph.find(trace.tensors()[i].name);
      if (id == kNone) {
        throw UserError(
            {}, fmt::format("rank {} has captured another program in its own process", rank),
            "a program must not depend on the process that it runs in");
      }
      recorded[static_cast<size_t>(id)] = kept_copy(read_tensor(trace, i).to(options.device()));
    }
  }
  return result;
}

ParameterRun ProcessExecutor::make_parameters(const Programs& programs,
                                              const DynamicOptions& options) {
  refuse_hooks(options);
  ProcessRun process_run(processes_, programs.mesh,
                         job_of(RankJob::Kind::kParameters, backend_, programs.mesh, options));
  ParameterRun result;
  result.failure = process_run.run({});
  if (result.failure) return result;
  for (Rank rank = 0; rank < programs.mesh.world_size(); ++rank) {
    TraceReader trace = process_run.recorded(rank);
    for (size_t i = 0; i < trace.tensors().size(); ++i)
      result.made.emplace(RankTensorName{trace.tensors()[i].name, rank}, read_tensor(trace, i));
  }
  return result;
}

}  // namespace assay
