#include "dynamic_check/run/execute/processes/run_watch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

namespace assay {

std::string RankOutcome::payload() const {
  return join_fields({std::to_string(static_cast<int>(kind)), message});
}

RankOutcome RankOutcome::from_payload(std::string_view payload) {
  const std::vector<std::string> fields = split_fields(payload);
  return {static_cast<Kind>(std::stoi(fields.at(0))), fields.at(1)};
}

RunWatch::RunWatch(std::vector<MessageSocket*> sockets, Groups groups, RunLimits limits,
                   Events events)
    : ledger_(std::move(groups)), limits_(limits), events_(std::move(events)) {
  for (MessageSocket* socket : sockets) members_.push_back({.socket = socket, .outcome = {}});
}

std::optional<RunFailure> RunWatch::wait() {
  Deadline end = Clock::now() + limits_.start;
  Deadline end_of_grace = Deadline::max();
  bool failed = false, lost = false;
  while (!all([](const Member& member) { return member.over(); }) &&
         Clock::now() < std::min(end, end_of_grace)) {
    poll_once(std::min(end, end_of_grace));
    if (!started_ && all([](const Member& member) { return member.started || member.over(); })) {
      started_ = true;
      end = Clock::now() + limits_.run;
    }
    if (!failed && (mismatch_ || any([](const Member& member) {
                      return member.outcome && member.outcome->kind != RankOutcome::Kind::kDone;
                    }))) {
      failed = true;
      end_of_grace = std::min(end_of_grace, Clock::now() + limits_.grace);
    }
    if (!lost && any([](const Member& member) { return member.lost; })) {
      lost = true;
      end_of_grace = std::min(end_of_grace, Clock::now() + limits_.grace_after_loss);
    }
  }
  return judge();
}

void RunWatch::poll_once(Deadline deadline) {
  std::vector<pollfd> polled;
  for (const Member& member : members_)
    polled.push_back({member.over() ? -1 : member.socket->descriptor(), POLLIN, 0});
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  if (::poll(polled.data(), polled.size(), std::max(0, static_cast<int>(left.count()) + 1)) <= 0)
    return;
  for (size_t rank = 0; rank < polled.size(); ++rank) {
    if (polled[rank].revents != 0) read(static_cast<Rank>(rank));
  }
}

std::vector<Rank> RunWatch::unfinished() const {
  std::vector<Rank> ranks;
  for (size_t rank = 0; rank < members_.size(); ++rank) {
    if (!members_[rank].outcome) ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

bool RunWatch::all(bool (*holds)(const Member&)) const {
  return std::all_of(members_.begin(), members_.end(), holds);
}

bool RunWatch::any(bool (*holds)(const Member&)) const {
  return std::any_of(members_.begin(), members_.end(), holds);
}

void RunWatch::read(Rank rank) {
  Member& member = members_[static_cast<size_t>(rank)];
  try {
    const bool open = member.socket->fill();
    while (auto message = member.socket->next()) handle(rank, *message);
    if (!open && !member.outcome) member.lost = true;
  } catch (const SocketClosed&) {
    member.lost = true;
  }
}

void RunWatch::handle(Rank rank, const Message& message) {
  Member& member = members_[static_cast<size_t>(rank)];
  switch (message.kind) {
    case Message::Kind::kStarted:
      member.started = true;
      return;
    case Message::Kind::kNode:
      member.last = static_cast<NodeId>(std::stol(message.payload));
      return;
    case Message::Kind::kCollective: {
      auto differs = ledger_.enter(rank, WatchedCall::from_payload(message.payload));
      if (differs && !mismatch_) mismatch_ = std::move(differs);
      return;
    }
    case Message::Kind::kResults:
      events_.results(rank, message.payload);
      return;
    case Message::Kind::kOutcome:
      member.outcome = RankOutcome::from_payload(message.payload);
      return;
    case Message::Kind::kInputs:
    case Message::Kind::kJob:
    case Message::Kind::kReport:
      break;
  }
  throw SocketClosed("a rank sends what only its leader does");
}

// What explains the others comes first: calls that differ, a process that is gone, a program that
// threw, a rank that others wait for, a rank that does not end.
std::optional<RunFailure> RunWatch::judge() const {
  if (mismatch_) return failure(mismatch_->kind, mismatch_->rank, mismatch_->message);
  const auto count = static_cast<Rank>(members_.size());
  const auto member = [&](Rank rank) -> const Member& {
    return members_[static_cast<size_t>(rank)];
  };
  for (Rank rank = 0; rank < count; ++rank) {
    if (!member(rank).lost) continue;
    return failure(RunFailure::Kind::kError, rank,
                   fmt::format("rank {}: its process {} (its last collective: {})", rank,
                               events_.how_lost(rank), ledger_.last(rank)));
  }
  const auto ended_as = [&](Rank rank, RankOutcome::Kind kind) {
    return member(rank).outcome && member(rank).outcome->kind == kind;
  };
  for (Rank rank = 0; rank < count; ++rank) {
    if (!ended_as(rank, RankOutcome::Kind::kError)) continue;
    return failure(RunFailure::Kind::kError, rank,
                   fmt::format("rank {}: {}", rank, member(rank).outcome->message));
  }
  for (Rank rank = 0; rank < count; ++rank) {
    if (!ended_as(rank, RankOutcome::Kind::kCollective)) continue;
    const auto missing = ledger_.missing(rank);
    if (missing) {
      return failure(RunFailure::Kind::kTimeout, *missing,
                     waited_for(rank, *missing, member(rank).outcome->message));
    }
    return failure(RunFailure::Kind::kError, rank,
                   fmt::format("rank {}: {} failed: {}", rank, ledger_.last(rank),
                               member(rank).outcome->message));
  }
  return judge_stuck();
}

// Some do not end: the one to look at is one that waits for nobody.
std::optional<RunFailure> RunWatch::judge_stuck() const {
  std::optional<RunFailure> result;
  const auto limit = started_ ? limits_.run : limits_.start;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].over()) continue;
    const auto rank = static_cast<Rank>(i);
    const auto missing = ledger_.missing(rank);
    if (!missing) {
      return failure(RunFailure::Kind::kTimeout, rank,
                     fmt::format("rank {} did not {} within {} ms (its last collective: {})", rank,
                                 started_ ? "end" : "start", limit.count(), ledger_.last(rank)));
    }
    if (!result)
      result = failure(RunFailure::Kind::kTimeout, *missing, waited_for(rank, *missing, ""));
  }
  return result;
}

RunFailure RunWatch::failure(RunFailure::Kind kind, Rank rank, const std::string& message) const {
  return {kind, rank, message, members_[static_cast<size_t>(rank)].last};
}

std::string RunWatch::waited_for(Rank waiting, Rank missing, const std::string& how) const {
  return fmt::format("rank {} waited in {}; rank {} did not come (its last collective: {}){}",
                     waiting, ledger_.last(waiting), missing, ledger_.last(missing),
                     how.empty() ? "" : ": " + how);
}

}  // namespace assay
