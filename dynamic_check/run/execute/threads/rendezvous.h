// Where rank threads meet: every member of a group offers something and gets the offers of all, or
// one sends to another.
// What is offered is the backend's affair: the meeting itself needs no LibTorch.
#pragma once

#include <any>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dynamic_check/run/execute/run_failure.h"
#include "shared_ir/mesh.h"

namespace assay {

// Ends a rank's program after its run has failed; the failure itself is kept by the Rendezvous.
struct RunAborted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One per run, shared by all rank threads. Thread-safe.
class Rendezvous {
 public:
  explicit Rendezvous(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  // One member's side of a collective. `signature` must be the same text on all members (operation,
  // reduction, dtype, sizes). Returns the members' offers in the order of `ranks`. What an offer
  // refers to must not change afterwards. Throws RunAborted when a member does not come in time,
  // calls something else, or has failed.
  std::vector<std::any> exchange(const std::string& group, const std::vector<Rank>& ranks,
                                 Rank rank, const std::string& signature, std::any offer);

  // Who sends to whom, in which group; what is sent there is received in order.
  struct Channel {
    std::string group;
    Rank source;
    Rank destination;
    auto operator<=>(const Channel&) const = default;
  };

  // The sender's side of a message; does not wait. Throws RunAborted when a member has failed.
  void send(const Channel& channel, const std::string& signature, std::any message);

  // The receiver's side, in two steps: the place of the message among those that the channel
  // brings, in the order of these calls; does not wait.
  int64_t begin_receive(const Channel& channel, const std::string& signature);

  // The message of that place. `signature` must be that of its sender. Throws RunAborted when none
  // comes in time, another one comes, or a member has failed.
  std::any receive(const Channel& channel, int64_t place, const std::string& signature);

  // Records the first failure and wakes all who wait.
  void fail(RunFailure failure);

  std::optional<RunFailure> failure() const;

  // The last collective that the rank called, for messages: "all_reduce sum float32 [8, 64] on tp:0
  // (the 3rd there)".
  std::string last_collective(Rank rank) const;

 private:
  struct Meeting {
    std::map<Rank, std::pair<std::string, std::any>> offers;  // rank -> signature, offer
    size_t left = 0;                                          // members that have taken the result
  };

  struct Mailbox {
    std::map<int64_t, std::pair<std::string, std::any>> messages;  // by place: signature, message
    int64_t sent = 0, expected = 0;                                // so far
  };

  [[noreturn]] void abort_locked() const;
  void fail_locked(RunFailure failure);
  std::string last_collective_locked(Rank rank) const;

  const std::chrono::milliseconds timeout_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::string, int64_t>, Meeting> meetings_;  // by group and index in it
  std::map<std::pair<std::string, Rank>, int64_t> next_index_;
  std::map<Channel, Mailbox> messages_;
  std::map<Rank, std::string> last_;
  std::optional<RunFailure> failure_;
};

}  // namespace assay
