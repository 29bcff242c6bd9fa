// The one entry of the replay module, build/modules/libassay_replay.so, which the command line
// loads when it needs it.
#pragma once

#include "shared_ir/case.h"
#include "shared_ir/report.h"

namespace assay {

inline constexpr char kReplayModule[] = "libassay_replay.so";
inline constexpr char kReplayEntry[] = "assay_replay";

// Runs both sides of the case in float64 on random inputs that satisfy its input relation. `report`
// gets the verdict kRefuted and the first deviation when a checked output or an expectation differs
// (a witness), kProved when none was seen. Throws UserError when an operator cannot be run.
using ReplayFunction = void (*)(const Case& refinement, DynamicReport& report);

}  // namespace assay
