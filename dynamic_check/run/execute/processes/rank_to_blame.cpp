#include "dynamic_check/run/execute/processes/rank_to_blame.h"

#include <fmt/format.h>

#include "dynamic_check/run/execute/processes/message_socket.h"

namespace assay {
namespace {

class Blame {
 public:
  Blame(const WatchedRun& run, std::chrono::milliseconds limit, const HowLost& how_lost)
      : run_(run), limit_(limit), how_lost_(how_lost) {}

  // What explains the others comes first: calls that differ, a process that is gone, a program that
  // threw, a rank that others wait for, a rank that does not end.
  std::optional<RunFailure> find() const {
    if (run_.mismatch)
      return failure(run_.mismatch->kind, run_.mismatch->rank, run_.mismatch->message);
    const auto count = static_cast<Rank>(run_.ranks.size());
    for (Rank rank = 0; rank < count; ++rank) {
      if (!seen(rank).lost) continue;
      return failure(RunFailure::Kind::kError, rank,
                     fmt::format("rank {}: its process {} (its last collective: {})", rank,
                                 how_lost_(rank), run_.ledger.last(rank)));
    }
    const auto ended_as = [&](Rank rank, RankOutcome::Kind kind) {
      return seen(rank).outcome && seen(rank).outcome->kind == kind;
    };
    for (Rank rank = 0; rank < count; ++rank) {
      if (!ended_as(rank, RankOutcome::Kind::kError)) continue;
      return failure(RunFailure::Kind::kError, rank,
                     fmt::format("rank {}: {}", rank, seen(rank).outcome->message));
    }
    for (Rank rank = 0; rank < count; ++rank) {
      if (!ended_as(rank, RankOutcome::Kind::kCollective)) continue;
      const auto missing = run_.ledger.missing(rank);
      if (missing) {
        return failure(RunFailure::Kind::kTimeout, *missing,
                       waited_for(rank, *missing, seen(rank).outcome->message));
      }
      return failure(RunFailure::Kind::kError, rank,
                     fmt::format("rank {}: {} failed: {}", rank, run_.ledger.last(rank),
                                 seen(rank).outcome->message));
    }
    return stuck();
  }

 private:
  // Some do not end: the one to look at is one that waits for nobody.
  std::optional<RunFailure> stuck() const {
    std::optional<RunFailure> result;
    for (size_t i = 0; i < run_.ranks.size(); ++i) {
      if (run_.ranks[i].over()) continue;
      const auto rank = static_cast<Rank>(i);
      const auto missing = run_.ledger.missing(rank);
      if (!missing) {
        return failure(
            RunFailure::Kind::kTimeout, rank,
            fmt::format("rank {} did not {} within {} ms (its last collective: {})", rank,
                        run_.started ? "end" : "start", limit_.count(), run_.ledger.last(rank)));
      }
      if (!result)
        result = failure(RunFailure::Kind::kTimeout, *missing, waited_for(rank, *missing, ""));
    }
    return result;
  }

  const WatchedRank& seen(Rank rank) const { return run_.ranks[static_cast<size_t>(rank)]; }

  RunFailure failure(RunFailure::Kind kind, Rank rank, const std::string& message) const {
    return {kind, rank, message, seen(rank).last};
  }

  std::string waited_for(Rank waiting, Rank missing, const std::string& how) const {
    return fmt::format("rank {} waited in {}; rank {} did not come (its last collective: {}){}",
                       waiting, run_.ledger.last(waiting), missing, run_.ledger.last(missing),
                       how.empty() ? "" : ": " + how);
  }

  const WatchedRun& run_;
  const std::chrono::milliseconds limit_;
  const HowLost& how_lost_;
};

}  // namespace

std::string RankOutcome::payload() const {
  return join_fields({std::to_string(static_cast<int>(kind)), message});
}

RankOutcome RankOutcome::from_payload(std::string_view payload) {
  const std::vector<std::string> fields = split_fields(payload);
  return {static_cast<Kind>(std::stoi(fields.at(0))), fields.at(1)};
}

std::optional<RunFailure> rank_to_blame(const WatchedRun& run, std::chrono::milliseconds limit,
                                        const HowLost& how_lost) {
  return Blame(run, limit, how_lost).find();
}

}  // namespace assay
