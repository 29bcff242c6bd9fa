// Ranks as processes that this one starts: the test program again, once per rank.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamic_check/run/execute/process_executor.h"
#include "dynamic_check/run/execute/processes/child_process.h"
#include "dynamic_check/run/execute/rank_worker.h"

namespace assay {

// They are started for the first run, end with this object, and are started anew after a run that
// failed. Nothing of them is in the file system: they meet over inherited descriptors.
class OwnProcesses final : public RankProcesses {
 public:
  // Each process does what this one has done since `command` was made, and then follows.
  explicit OwnProcesses(ChildCommand command) : command_(std::move(command)) {}

  std::vector<MessageSocket*> sockets(const Mesh& mesh) override;
  std::string how_lost(Rank rank) override;
  RunLimits limits(std::chrono::milliseconds timeout) const override;
  void give_up(const std::vector<Rank>& unfinished) override;

  void conclude(const std::string& report) override;  // for those that are started later, too

 private:
  struct Member {
    std::unique_ptr<MessageSocket> socket;
    std::unique_ptr<ChildProcess> process;
  };
  void start(Rank rank, Rank ranks, const FileDescriptor& store);

  const ChildCommand command_;
  std::vector<Member> members_;       // by rank
  std::vector<std::string> reports_;  // of the checks so far
};

// In a process that was started so: its link, the first time it is asked.
std::optional<RankLink> inherited_link();

}  // namespace assay
