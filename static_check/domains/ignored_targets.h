// Targets that a loss ignores by an index that is no class (-100).
#pragma once

#include <optional>
#include <string>

#include "shared_ir/base/error.h"
#include "shared_ir/case/case.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {

// A loss of a rank, for messages.
struct RankLoss {
  SourcePlace source;
  std::string name;  // of the graph and of the operator
};

// How the programs of a case can be read.
struct TargetReadings {
  // Exactly: a target is a class or is ignored. False where no loss has such an index, or none is
  // ignored as the case says: then there is nothing to choose.
  bool exact = false;
  // With the assumption that no target is ignored, which the programs do not contradict.
  bool none_ignored = false;
  // Why they contradict it, at the operator of a rank: a loss that is divided by another number of
  // targets than the specification's (a mean of means: each part is divided by its own count).
  std::optional<UserError> other_count = std::nullopt;
  // A loss of a rank that gives a number where a target is ignored.
  std::optional<RankLoss> ignoring = std::nullopt;
};

// The programs contradict that no target is ignored where one asks whether a target is
// ignore_index, takes negative targets apart or makes targets itself; and where the specification's
// mean over the targets that count meets a rank's loss over others, or with another divisor, unless
// that rank fails at such a target anyway (it reads a table there). A rank that knows nothing of
// ignored targets is read with the assumption alone; so is a case whose losses all take their
// targets from inputs that hold classes (Case::never_ignored), and exactly where it asks.
TargetReadings readings_of_targets(const Case& refinement, const LoweredCase& programs,
                                   const OperatorTable& operators);

}  // namespace assay
