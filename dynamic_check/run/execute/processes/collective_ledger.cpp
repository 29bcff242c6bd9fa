#include "dynamic_check/run/execute/processes/collective_ledger.h"

#include <fmt/format.h>

#include "dynamic_check/run/execute/processes/message_socket.h"

namespace assay {

std::string WatchedCall::payload() const {
  return join_fields(
      {std::to_string(static_cast<int>(kind)), group, std::to_string(peer), signature});
}

WatchedCall WatchedCall::from_payload(std::string_view payload) {
  const std::vector<std::string> fields = split_fields(payload);
  return {static_cast<Kind>(std::stoi(fields.at(0))), fields.at(1), fields.at(3),
          static_cast<Rank>(std::stoi(fields.at(2)))};
}

CollectiveLedger::Channel CollectiveLedger::channel(Rank rank, const WatchedCall& call) {
  return call.kind == WatchedCall::Kind::kSend ? Channel(call.group, {rank, call.peer})
                                               : Channel(call.group, {call.peer, rank});
}

std::optional<RunFailure> CollectiveLedger::enter(Rank rank, const WatchedCall& call) {
  if (call.kind == WatchedCall::Kind::kCollective) {
    auto& members = calls_[call.group];
    std::vector<std::string>& own = members[rank];
    const size_t index = own.size();
    own.push_back(call.signature);
    last_[rank] = {call, static_cast<int64_t>(index)};
    for (const auto& [other, theirs] : members) {
      if (theirs.size() <= index || theirs[index] == call.signature) continue;
      return RunFailure{RunFailure::Kind::kMismatch, rank,
                        fmt::format("rank {} calls {}, rank {} calls {} as number {} on {}", rank,
                                    call.signature, other, theirs[index], index + 1, call.group)};
    }
    return std::nullopt;
  }
  const Channel where = channel(rank, call);
  const bool sends = call.kind == WatchedCall::Kind::kSend;
  std::vector<std::string>& own = (sends ? sent_ : received_)[where];
  const std::vector<std::string>& theirs = (sends ? received_ : sent_)[where];
  const size_t index = own.size();
  own.push_back(call.signature);
  last_[rank] = {call, static_cast<int64_t>(index)};
  if (theirs.size() <= index || theirs[index] == call.signature) return std::nullopt;
  const auto& [source, destination] = where.second;
  return RunFailure{RunFailure::Kind::kMismatch, destination,
                    fmt::format("rank {} expects {} of rank {}, which sends {}, on {}", destination,
                                sends ? theirs[index] : call.signature, source,
                                sends ? call.signature : theirs[index], call.group)};
}

std::optional<Rank> CollectiveLedger::missing(Rank rank) const {
  const auto found = last_.find(rank);
  if (found == last_.end()) return std::nullopt;
  const auto& [call, index] = found->second;
  const auto place = static_cast<size_t>(index);
  if (call.kind != WatchedCall::Kind::kCollective) {
    const Messages& others = call.kind == WatchedCall::Kind::kSend ? received_ : sent_;
    const auto theirs = others.find(channel(rank, call));
    const bool came = theirs != others.end() && theirs->second.size() > place;
    return came ? std::nullopt : std::optional(call.peer);
  }
  const auto& members = calls_.at(call.group);
  std::optional<Rank> result;
  for (Rank member : groups_.at(call.group)) {
    const auto theirs = members.find(member);
    if (theirs == members.end() || theirs->second.size() <= place) result = member;
  }
  return result;
}

std::string CollectiveLedger::last(Rank rank) const {
  const auto found = last_.find(rank);
  if (found == last_.end()) return "none";
  const auto& [call, index] = found->second;
  switch (call.kind) {
    case WatchedCall::Kind::kCollective:
      return fmt::format("{} on {} (number {} there)", call.signature, call.group, index + 1);
    case WatchedCall::Kind::kSend:
      return fmt::format("send {} to rank {} on {}", call.signature, call.peer, call.group);
    case WatchedCall::Kind::kReceive:
      return fmt::format("recv {} from rank {} on {}", call.signature, call.peer, call.group);
  }
  return {};
}

}  // namespace assay
