// Ranks as processes that a launcher has started, this one among them.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dynamic_check/execute/process_executor.h"
#include "dynamic_check/execute/processes/launch.h"
#include "dynamic_check/execute/rank_worker.h"

namespace assay {

// Rank 0's side. Its own rank runs in a thread of this process; a rank that is lost is lost for all
// further checks.
class LaunchedProcesses final : public RankProcesses {
 public:
  // Waits a minute for the others; runs name those that did not come.
  explicit LaunchedProcesses(const Launch& launch);
  ~LaunchedProcesses() override;
  LaunchedProcesses(const LaunchedProcesses&) = delete;
  LaunchedProcesses& operator=(const LaunchedProcesses&) = delete;

  void begin(const RankQuestion& question) override;
  std::vector<MessageSocket*> sockets(const Mesh& mesh) override;
  std::string how_lost(Rank rank) override;
  std::chrono::milliseconds grace(std::chrono::milliseconds timeout) const override {
    return timeout + std::chrono::seconds(1);
  }
  void give_up(const std::vector<Rank>& unfinished) override;
  void conclude(const std::string& report) override;

 private:
  void meet();
  void start_own_rank();

  const Launch launch_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::vector<std::shared_ptr<MessageSocket>> sockets_;  // by rank; none where the rank is lost
  RankQuestion question_;                                // of the current check
  std::thread own_rank_;
  std::string lost_;  // why there are no more runs
};

// The side of the other ranks. Waits a minute for rank 0. The process ends when rank 0 does.
RankLink join_launch(const Launch& launch);

}  // namespace assay
