#include "dynamic_check/run/execute/rank_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/run/execute/process_rank.h"
#include "dynamic_check/run/execute/processes/anonymous_file.h"
#include "dynamic_check/run/execute/processes/hang_up_watch.h"
#include "dynamic_check/run/execute/processes/rank_to_blame.h"
#include "dynamic_check/run/execute/rank_job.h"
#include "dynamic_check/run/float8_products.h"
#include "dynamic_check/run/record.h"

namespace assay {
namespace {

// One run of this rank.
class RankRun {
 public:
  RankRun(const RankLink& link, const RankQuestion& question, const RankJob& job)
      : link_(link), question_(question), job_(job), results_(make_anonymous_file()) {}

  // Sends what was recorded and how it ended.
  void run(const FileDescriptor& inputs) {
    RankOutcome outcome;
    try {
      if (link_.is_launched) agree_on_check();
      if (job_.kind == RankJob::Kind::kParameters) {
        enter();
        parameters();
      } else {
        // First, as the capture has groups of the same names.
        const Graph graph = question_.graph(job_.precision);
        enter();
        program(graph, inputs);
      }
      link_.leader->send_file(Message::Kind::kResults, results_);
      const std::string complaint = question_.complaint ? question_.complaint() : std::string();
      if (!complaint.empty()) outcome = {RankOutcome::Kind::kError, complaint};
    } catch (const SocketClosed&) {
      throw;
    } catch (const CollectiveFailed& failed) {
      outcome = {RankOutcome::Kind::kCollective, failed.what()};
    } catch (const c10::Error& error) {
      outcome = {RankOutcome::Kind::kError, error.what_without_backtrace()};
    } catch (const std::exception& error) {
      outcome = {RankOutcome::Kind::kError, error.what()};
    }
    link_.leader->send(Message::Kind::kOutcome, outcome.payload());
  }

 private:
  // Before any waits for another in a group: all see who is at another check.
  void agree_on_check() const {
    c10d::PrefixStore at(job_.run + "/at", link_.store);
    at.set(std::to_string(link_.rank), question_.name);
    if (job_.check != question_.name) {
      throw UserError({},
                      fmt::format("it is at {} when rank 0 is at {}", question_.name, job_.check),
                      "run the same tests in the same order on all ranks");
    }
    for (Rank rank = 0; rank < question_.programs.mesh.world_size(); ++rank) {
      const std::vector<uint8_t> check = at.get(std::to_string(rank));
      if (std::string(check.begin(), check.end()) != job_.check)
        throw CollectiveFailed("the ranks are at different checks");
    }
  }

  void enter() {
    enter_rank_thread(job_.kernel_threads);
    if (backend_.enter) backend_.enter(link_.local_rank);
    BackendRequest meeting;
    meeting.store = c10::make_intrusive<c10d::PrefixStore>(job_.run, link_.store);
    meeting.timeout = job_.timeout;
    meeting.address = link_.address;
    environment_.emplace(question_.programs.mesh, link_.rank, backend_, meeting,
                         [leader = link_.leader](const WatchedCall& call) {
                           leader->send(Message::Kind::kCollective, call.payload());
                         });
  }

  TraceRun described() const {
    return {.program = job_.run,
            .rank = link_.rank,
            .world_size = static_cast<Rank>(question_.programs.mesh.world_size()),
            .precision = job_.precision,
            .seed = {},
            .producer = {}};
  }

  void parameters() {
    link_.leader->send(Message::Kind::kStarted, "");
    TraceWriter trace(path_of(results_), described());
    run_parameters(question_.programs.parameters, *environment_,
                   [&](const std::string& name, const at::Tensor& tensor) {
                     add_tensor(trace, {.name = name, .op = {}, .source = {}, .shape = {}}, tensor);
                   });
    trace.finish();
  }

  void program(const Graph& graph, const FileDescriptor& inputs) {
    ProgramInputs values{{}, {job_.differentiable.begin(), job_.differentiable.end()}};
    TraceReader reader(path_of(inputs));
    for (size_t i = 0; i < reader.tensors().size(); ++i)
      values.tensors[reader.tensors()[i].name] = read_tensor(reader, i).to(device());
    // Filled where a hook wants to see it.
    RecordedTensors recorded = recorded_inputs(graph, values);
    RunTrace trace(path_of(results_), graph, described());
    const KernelHook kernel = kernels_of(job_.precision, question_.kernel);
    link_.leader->send(Message::Kind::kStarted, "");
    run_recorded(question_.programs.distributed, *environment_, graph, values,
                 [&](NodeId node, std::span<const at::Tensor> outputs) {
                   if (kernel) {
                     apply_kernel_hook(kernel, link_.rank, graph, node, recorded, outputs);
                     keep_outputs(graph, node, outputs, recorded);
                   }
                   trace.add_outputs(node, outputs);
                   link_.leader->send(Message::Kind::kNode, std::to_string(node));
                 });
    trace.finish();
  }

  at::Device device() const {
    return backend_.device == c10::DeviceType::CPU
               ? at::Device(at::kCPU)
               : at::Device(backend_.device, static_cast<at::DeviceIndex>(link_.local_rank));
  }

  const RankLink& link_;
  const RankQuestion& question_;
  const RankJob job_;
  const ProcessBackend& backend_ = process_backend(job_.backend);
  FileDescriptor results_;
  std::optional<ProcessRank> environment_;
};

void run_watched(RankRun& run, const RankLink& link, const FileDescriptor& inputs) {
  std::optional<HangUpWatch> watch;
  if (link.ends_with_leader) watch.emplace(link.leader->descriptor());
  run.run(inputs);
}

}  // namespace

std::string follow_leader(const RankLink& link, const RankQuestion& question) {
  FileDescriptor inputs = make_anonymous_file();
  // Kept until the leader goes on: then no other rank needs its connections any more.
  std::optional<RankRun> last;
  while (true) {
    Message message = link.leader->receive();
    last.reset();
    switch (message.kind) {
      case Message::Kind::kInputs:
        append(inputs, message.payload);
        break;
      case Message::Kind::kJob:
        last.emplace(link, question, RankJob::from_payload(message.payload));
        run_watched(*last, link, inputs);
        inputs = make_anonymous_file();
        break;
      case Message::Kind::kReport:
        return std::move(message.payload);
      default:
        throw InternalError("a leader sends what only a rank does");
    }
  }
}

}  // namespace assay
