// The order in which the ranks' collectives meet and their messages arrive, and where they never
// do.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/core.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/collectives/meeting.h"

namespace assay {

// Members of a group meet with different collectives, a message is not what its receiver expects or
// is never received, or ranks wait for each other for ever.
struct CollectiveMismatch {
  Rank rank_a, rank_b;
  CoreId op_a;  // kNone: rank has already finished
  CoreId op_b;
  std::string reason;
  std::vector<std::pair<Rank, CoreId>> others = {};  // in a circle of more than two
};

// The programs of all ranks, evaluated as the order says.
class RankEvaluation {
 public:
  virtual ~RankEvaluation() = default;

  // An operator that needs no other rank.
  virtual void evaluate(Rank rank, CoreId id) = 0;
  // A collective or a message; member: this rank's position in the meeting.
  virtual void evaluate_collective(Rank rank, CoreId id, Meeting& meeting, size_t member) = 0;
  // Of an operator that was evaluated. Stays where it is as further ones are.
  virtual const Value& value(Rank rank, CoreId id) = 0;
};

// Goes through all ranks' programs jointly, collective by collective; nullopt when all come to
// their ends, else why they got stuck.
std::optional<CollectiveMismatch> run_in_order(const std::vector<CoreProgram>& programs,
                                               RankEvaluation& evaluation);

}  // namespace assay
