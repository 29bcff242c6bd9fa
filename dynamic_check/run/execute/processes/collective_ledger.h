// Which collectives the ranks have called, as each said before it called them: finds the call in
// which they differ, and the rank that another one waits for. Needs no LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamic_check/run/execute/run_failure.h"
#include "shared_ir/mesh.h"

namespace assay {

// One rank's side of a collective or of a message.
struct WatchedCall {
  enum class Kind : uint8_t { kCollective, kSend, kReceive };
  Kind kind = Kind::kCollective;
  std::string group;      // Mesh::group_name
  std::string signature;  // the same on all members: operation, reduction, dtype, sizes
  Rank peer = 0;          // kSend: the receiver; kReceive: the sender

  std::string payload() const;
  static WatchedCall from_payload(std::string_view payload);
};

class CollectiveLedger {
 public:
  explicit CollectiveLedger(Groups groups) : groups_(std::move(groups)) {}

  // Enters a call. Returns how it differs from what another member has called there.
  std::optional<RunFailure> enter(Rank rank, const WatchedCall& call);

  // The member that has not come to the last call of `rank`; nothing if all have.
  std::optional<Rank> missing(Rank rank) const;

  // "all_reduce sum float32 [8, 64] on tp:0 (number 3 there)"; "none".
  std::string last(Rank rank) const;

 private:
  struct Place {
    WatchedCall call;
    int64_t index;  // counts the calls of the rank in this group, or in this direction, from 0
  };
  using Channel = std::pair<std::string, std::pair<Rank, Rank>>;  // group, sender and receiver
  using Messages = std::map<Channel, std::vector<std::string>>;   // signatures

  static Channel channel(Rank rank, const WatchedCall& call);

  const Groups groups_;
  std::map<std::string, std::map<Rank, std::vector<std::string>>> calls_;  // signatures
  Messages sent_, received_;
  std::map<Rank, Place> last_;
};

}  // namespace assay
