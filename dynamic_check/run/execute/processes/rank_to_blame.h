// Which rank to look at where a run has failed, by what was seen of each. Needs no LibTorch.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic_check/run/execute/processes/collective_ledger.h"
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

struct WatchedRank {
  bool started = false;
  bool lost = false;  // its process has gone without an outcome
  std::optional<RankOutcome> outcome;
  NodeId last = kNone;  // see RunFailure::last
  bool over() const { return lost || outcome.has_value(); }
};

struct WatchedRun {
  std::vector<WatchedRank> ranks;
  CollectiveLedger ledger;
  std::optional<RunFailure> mismatch;  // the first call that differs
  bool started = false;                // of all ranks
};

// How a rank's process ended whose socket has closed: "was killed by signal 9 (Killed)".
using HowLost = std::function<std::string(Rank)>;

// The failure that explains the others, if there is one. `limit`: of the run, or of its start where
// not all have started.
std::optional<RunFailure> rank_to_blame(const WatchedRun& run, std::chrono::milliseconds limit,
                                        const HowLost& how_lost);

}  // namespace assay
