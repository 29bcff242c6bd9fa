// Watches the processes of one run, each over its socket, until all have ended or one has failed,
// and says which rank to look at. Needs no LibTorch.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic_check/run/execute/processes/collective_ledger.h"
#include "dynamic_check/run/execute/processes/message_socket.h"
#include "dynamic_check/run/execute/run_failure.h"

namespace assay {

// How a rank's part in a run ended, as its process says.
struct RankOutcome {
  enum class Kind : uint8_t {
    kDone,
    kCollective,  // a collective failed: another rank may be the reason
    kError,       // its program threw
  };
  Kind kind = Kind::kDone;
  std::string message;

  std::string payload() const;
  static RankOutcome from_payload(std::string_view payload);
};

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
    // How a rank's process ended whose socket has closed: "was killed by signal 9 (Killed)".
    std::function<std::string(Rank)> how_lost;
  };

  // `sockets`: by rank.
  RunWatch(std::vector<MessageSocket*> sockets, Groups groups, RunLimits limits, Events events);

  // Returns the failure that explains the others, if there is one.
  std::optional<RunFailure> wait();

  // After wait(): the ranks that are not through with the run, and may never be.
  std::vector<Rank> unfinished() const;

 private:
  struct Member {
    MessageSocket* socket;
    bool started = false;
    bool lost = false;
    std::optional<RankOutcome> outcome;
    NodeId last = kNone;
    bool over() const { return lost || outcome.has_value(); }
  };
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  bool all(bool (*holds)(const Member&)) const;
  bool any(bool (*holds)(const Member&)) const;
  void poll_once(Deadline deadline);
  void read(Rank rank);
  void handle(Rank rank, const Message& message);
  std::optional<RunFailure> judge() const;
  std::optional<RunFailure> judge_stuck() const;
  RunFailure failure(RunFailure::Kind kind, Rank rank, const std::string& message) const;
  std::string waited_for(Rank waiting, Rank missing, const std::string& how) const;

  std::vector<Member> members_;
  CollectiveLedger ledger_;
  const RunLimits limits_;
  const Events events_;
  std::optional<RunFailure> mismatch_;
  bool started_ = false;
};

}  // namespace assay
