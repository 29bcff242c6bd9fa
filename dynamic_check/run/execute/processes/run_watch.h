// Watches the processes of one run, each over its socket, until all have ended or one has failed,
// and says which rank to look at (rank_to_blame.h). Needs no LibTorch.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic_check/run/execute/processes/message_socket.h"
#include "dynamic_check/run/execute/processes/rank_to_blame.h"

namespace assay {

// A run ends within `start` + `run`, and after a failure within `grace`.
struct RunLimits {
  std::chrono::milliseconds start{60'000};  // until all processes have begun with the program
  std::chrono::milliseconds run{120'000};   // from then on
  // From the first failure until it is judged: the others may have something to say that explains
  // it.
  std::chrono::milliseconds grace{1'000};
  std::chrono::milliseconds grace_after_loss{1'000};  // the same, after a process has gone
};

class RunWatch {
 public:
  struct Events {
    // A piece of what a rank recorded.
    std::function<void(Rank, std::string_view)> results;
    HowLost how_lost;
  };

  // `sockets`: by rank.
  RunWatch(std::vector<MessageSocket*> sockets, Groups groups, RunLimits limits, Events events);

  // Returns the failure that explains the others, if there is one.
  std::optional<RunFailure> wait();

  // After wait(): the ranks that are not through with the run, and may never be.
  std::vector<Rank> unfinished() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  bool all(bool (*holds)(const WatchedRank&)) const;
  bool any(bool (*holds)(const WatchedRank&)) const;
  void poll_once(Deadline deadline);
  void read(Rank rank);
  void handle(Rank rank, const Message& message);

  const std::vector<MessageSocket*> sockets_;
  const RunLimits limits_;
  const Events events_;
  WatchedRun seen_;
};

}  // namespace assay
