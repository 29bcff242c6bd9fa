// Abstract interpretation of core programs: the sequential one first, then all ranks jointly,
// collective by collective.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"
#include "static_check/lift/collectives/meeting_order.h"
#include "static_check/lift/inputs/inputs.h"
#include "static_check/lift/lifting.h"

namespace assay {

// A core operator that the lifter could not express, and why. Its value is an unknown of its own.
struct Unlifted {
  CoreId op;
  std::string reason;
};

struct LiftedProgram {
  std::vector<Value> values;  // per core op
  std::vector<Unlifted> unlifted;
};

struct LiftedRanks {
  std::vector<LiftedProgram> ranks;
  std::optional<CollectiveMismatch> mismatch;  // set: values end where the programs got stuck
};

LiftedProgram lift_sequential(Lifting& lifting, const Graph& graph, const CoreProgram& program,
                              const InputValues& inputs);

// What operators of the ranks are known to give, in place of what is derived.
using GivenValues = std::map<std::pair<Rank, CoreId>, Value>;

LiftedRanks lift_ranks(Lifting& lifting, const Case& refinement,
                       const std::vector<CoreProgram>& programs, const InputValues& inputs,
                       const GivenValues& given = {});

}  // namespace assay
