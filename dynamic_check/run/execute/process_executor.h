// Ranks as processes: the leader's side.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "dynamic_check/run/execute/executor.h"
#include "dynamic_check/run/execute/processes/message_socket.h"
#include "dynamic_check/run/execute/processes/run_watch.h"
#include "dynamic_check/run/execute/rank_worker.h"

namespace assay {

// The processes of the ranks, wherever they come from.
class RankProcesses {
 public:
  virtual ~RankProcesses() = default;

  // A check begins: what its runs are about.
  void begin(const RankQuestion& question) { question_ = question; }
  const RankQuestion& question() const { return question_; }

  // Sockets by rank; behind each a process that follows the leader (rank_worker.h) or will soon.
  // Throws UserError when there are none for this mesh.
  virtual std::vector<MessageSocket*> sockets(const Mesh& mesh) = 0;

  // How a rank's process ended whose socket has closed.
  virtual std::string how_lost(Rank rank) = 0;

  // How long a run is waited for, of which a collective may take `timeout`.
  virtual RunLimits limits(std::chrono::milliseconds timeout) const = 0;

  // A run has failed; these ranks are not through with it and will not be waited for.
  virtual void give_up(const std::vector<Rank>& unfinished) = 0;

  // The check is over, and this is its report (JSON): those who follow go on.
  virtual void conclude(const std::string& report) = 0;

 private:
  RankQuestion question_;
};

// Why ranks cannot have a device each on this machine; empty: they can, or need none. Throws
// UserError for an unknown backend.
std::string missing_devices(const std::string& backend, const Mesh& mesh);

// A run ends within the time for the start (patience.h), twice the timeout of DynamicOptions, and a
// second. Needs ranks that do not use completion hooks: collectives complete as the backend has it.
class ProcessExecutor final : public Executor {
 public:
  // `backend`: of process_backend.h. The processes must outlive the executor.
  ProcessExecutor(RankProcesses& processes, std::string backend)
      : processes_(processes), backend_(std::move(backend)) {}

  DistributedRun run(const Case& refinement, const Programs& programs, const RunInputs& inputs,
                     const DynamicOptions& options) override;
  ParameterRun make_parameters(const Programs& programs, const DynamicOptions& options) override;

 private:
  RankProcesses& processes_;
  const std::string backend_;
};

}  // namespace assay
