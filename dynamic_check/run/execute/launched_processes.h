// Ranks as processes that a launcher has started, this one among them.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dynamic_check/run/execute/process_executor.h"
#include "dynamic_check/run/execute/processes/launcher_variables.h"
#include "dynamic_check/run/execute/processes/tcp.h"
#include "dynamic_check/run/execute/rank_worker.h"

namespace assay {

// Rank 0's side. Its own rank runs in a thread of this process; a rank that is lost is lost for all
// further checks.
class LaunchedProcesses final : public RankProcesses {
 public:
  // Waits for the others (patience.h); runs name those that did not come.
  explicit LaunchedProcesses(const Launch& launch);
  ~LaunchedProcesses() override;
  LaunchedProcesses(const LaunchedProcesses&) = delete;
  LaunchedProcesses& operator=(const LaunchedProcesses&) = delete;

  std::vector<MessageSocket*> sockets(const Mesh& mesh) override;
  std::string how_lost(Rank rank) override;
  RunLimits limits(std::chrono::milliseconds timeout) const override;
  void give_up(const std::vector<Rank>& unfinished) override;
  void conclude(const std::string& report) override;

 private:
  void meet();
  void start_own_rank();

  const Launch launch_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::vector<std::shared_ptr<MessageSocket>> sockets_;  // by rank; none where the rank is lost
  std::string address_ = kLoopback;                      // of this machine, for the other ranks
  std::thread own_rank_;
  std::string lost_;  // why there are no more runs
};

// The side of the other ranks. Waits for rank 0 (patience.h). The process ends when rank 0 does.
RankLink join_launch(const Launch& launch);

}  // namespace assay
