#include "dynamic_check/run/execute/threads/rank_threads.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/run/execute/threads/rendezvous.h"
#include "dynamic_check/run/execute/threads/thread_backend.h"

namespace assay {
namespace {

// Shared with the threads, because a stuck one outlives the call.
struct Run {
  std::function<void(RankEnvironment&)> body;
  std::shared_ptr<Rendezvous> rendezvous;
  std::mutex mutex;
  std::condition_variable ended_changed;
  std::vector<bool> ended;  // by rank

  bool all_ended() const {
    for (bool rank_ended : ended) {
      if (!rank_ended) return false;
    }
    return true;
  }
};

class ThreadRank final : public RankEnvironment {
 public:
  ThreadRank(const Mesh& mesh, Rank rank, const RankThreadOptions& options,
             std::shared_ptr<Rendezvous> rendezvous)
      : RankEnvironment(mesh, rank),
        device_(options.device),
        rendezvous_(std::move(rendezvous)),
        completion_(options.completion) {}

  // Made on first use.
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override {
    auto found = groups_.find(axis);
    if (found != groups_.end()) return found->second;
    auto group = make_thread_group(mesh().group_name(rank(), axis), mesh().group(rank(), axis),
                                   rank(), device_, rendezvous_, completion_);
    groups_.emplace(axis, group);
    return group;
  }

 private:
  const at::Device device_;
  std::shared_ptr<Rendezvous> rendezvous_;
  CompletionHook completion_;
  std::map<std::string, c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

void run_body(Run& run, RankEnvironment& environment) {
  try {
    run.body(environment);
  } catch (const RunAborted&) {
    // Another rank has failed, and that is already recorded.
  } catch (const c10::Error& error) {
    run.rendezvous->fail(
        {RunFailure::Kind::kError, environment.rank(),
         fmt::format("rank {}: {}", environment.rank(), error.what_without_backtrace())});
  } catch (const std::exception& error) {
    run.rendezvous->fail({RunFailure::Kind::kError, environment.rank(),
                          fmt::format("rank {}: {}", environment.rank(), error.what())});
  }
}

void rank_thread(const std::shared_ptr<Run>& run, const Mesh& mesh, Rank rank,
                 const RankThreadOptions& options, int kernel_threads) {
  enter_rank_thread(kernel_threads);
  {
    ThreadRank environment(mesh, rank, options, run->rendezvous);
    run_body(*run, environment);
    // What the body has left on streams of its own.
    synchronize(options.device);
  }
  std::lock_guard lock(run->mutex);
  run->ended[static_cast<size_t>(rank)] = true;
  run->ended_changed.notify_all();
}

}  // namespace

std::optional<RunFailure> run_rank_threads(const Mesh& mesh, const RankThreadOptions& options,
                                           std::function<void(RankEnvironment&)> body) {
  // Every rank registers its groups under the same names.
  c10d::set_thread_isolation_mode(true);
  auto run = std::make_shared<Run>();
  run->body = std::move(body);
  run->rendezvous = std::make_shared<Rendezvous>(options.timeout);
  run->ended.assign(static_cast<size_t>(mesh.world_size()), false);

  // Ranks share the cores: kernels that each took all of them would wait for one another.
  const int all_kernel_threads = at::get_num_threads();
  const int kernel_threads =
      options.kernel_threads > 0
          ? options.kernel_threads
          : std::max(1, all_kernel_threads / static_cast<int>(mesh.world_size()));
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < mesh.world_size(); ++rank) {
    threads.emplace_back([run, mesh, rank, options, kernel_threads] {
      rank_thread(run, mesh, rank, options, kernel_threads);
    });
  }
  {
    std::unique_lock lock(run->mutex);
    auto all_ended = [&] { return run->all_ended(); };
    if (!run->ended_changed.wait_for(lock, options.timeout * 2, all_ended)) {
      for (Rank rank = 0; rank < mesh.world_size(); ++rank) {
        if (run->ended[static_cast<size_t>(rank)]) continue;
        run->rendezvous->fail(
            {RunFailure::Kind::kTimeout, rank,
             fmt::format("rank {} did not end within {} ms (its last collective: {})", rank,
                         2 * options.timeout.count(), run->rendezvous->last_collective(rank))});
      }
      // Those who only wait for the stuck rank end now.
      run->ended_changed.wait_for(lock, std::chrono::seconds(1), all_ended);
    }
    for (size_t rank = 0; rank < threads.size(); ++rank) {
      if (!run->ended[rank]) threads[rank].detach();
    }
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  at::set_num_threads(all_kernel_threads);  // threads that start later take over the last setting
  return run->rendezvous->failure();
}

}  // namespace assay
