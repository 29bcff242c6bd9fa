#include "dynamic_check/run/execute/processes/run_watch.h"

#include <poll.h>

#include <algorithm>

namespace assay {

RunWatch::RunWatch(std::vector<MessageSocket*> sockets, Groups groups, RunLimits limits,
                   Events events)
    : sockets_(std::move(sockets)),
      limits_(limits),
      events_(std::move(events)),
      seen_{.ranks = std::vector<WatchedRank>(sockets_.size()),
            .ledger = CollectiveLedger(std::move(groups)),
            .mismatch = {}} {}

std::optional<RunFailure> RunWatch::wait() {
  Deadline end = Clock::now() + limits_.start;
  Deadline end_of_grace = Deadline::max();
  bool failed = false, lost = false;
  while (!all([](const WatchedRank& member) { return member.over(); }) &&
         Clock::now() < std::min(end, end_of_grace)) {
    poll_once(std::min(end, end_of_grace));
    if (!seen_.started &&
        all([](const WatchedRank& member) { return member.started || member.over(); })) {
      seen_.started = true;
      end = Clock::now() + limits_.run;
    }
    if (!failed && (seen_.mismatch || any([](const WatchedRank& member) {
                      return member.outcome && member.outcome->kind != RankOutcome::Kind::kDone;
                    }))) {
      failed = true;
      end_of_grace = std::min(end_of_grace, Clock::now() + limits_.grace);
    }
    if (!lost && any([](const WatchedRank& member) { return member.lost; })) {
      lost = true;
      end_of_grace = std::min(end_of_grace, Clock::now() + limits_.grace_after_loss);
    }
  }
  return rank_to_blame(seen_, seen_.started ? limits_.run : limits_.start, events_.how_lost);
}

void RunWatch::poll_once(Deadline deadline) {
  std::vector<pollfd> polled;
  for (size_t rank = 0; rank < sockets_.size(); ++rank)
    polled.push_back({seen_.ranks[rank].over() ? -1 : sockets_[rank]->descriptor(), POLLIN, 0});
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  if (::poll(polled.data(), polled.size(), std::max(0, static_cast<int>(left.count()) + 1)) <= 0)
    return;
  for (size_t rank = 0; rank < polled.size(); ++rank) {
    if (polled[rank].revents != 0) read(static_cast<Rank>(rank));
  }
}

std::vector<Rank> RunWatch::unfinished() const {
  std::vector<Rank> ranks;
  for (size_t rank = 0; rank < seen_.ranks.size(); ++rank) {
    if (!seen_.ranks[rank].outcome) ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

bool RunWatch::all(bool (*holds)(const WatchedRank&)) const {
  return std::all_of(seen_.ranks.begin(), seen_.ranks.end(), holds);
}

bool RunWatch::any(bool (*holds)(const WatchedRank&)) const {
  return std::any_of(seen_.ranks.begin(), seen_.ranks.end(), holds);
}

void RunWatch::read(Rank rank) {
  WatchedRank& member = seen_.ranks[static_cast<size_t>(rank)];
  MessageSocket& socket = *sockets_[static_cast<size_t>(rank)];
  try {
    const bool open = socket.fill();
    while (auto message = socket.next()) handle(rank, *message);
    if (!open && !member.outcome) member.lost = true;
  } catch (const SocketClosed&) {
    member.lost = true;
  }
}

void RunWatch::handle(Rank rank, const Message& message) {
  WatchedRank& member = seen_.ranks[static_cast<size_t>(rank)];
  switch (message.kind) {
    case Message::Kind::kStarted:
      member.started = true;
      return;
    case Message::Kind::kNode:
      member.last = static_cast<NodeId>(std::stol(message.payload));
      return;
    case Message::Kind::kCollective: {
      auto differs = seen_.ledger.enter(rank, WatchedCall::from_payload(message.payload));
      if (differs && !seen_.mismatch) seen_.mismatch = std::move(differs);
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

}  // namespace assay
