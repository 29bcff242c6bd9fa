// The command that runs the current test once more, as a rank.
#pragma once

#include "dynamic_check/run/execute/processes/processes.h"

namespace assay {

// This program with this program's own arguments, and the one test. Nothing that GoogleTest writes,
// repeats or shards. Throws UserError when no test is running.
ChildCommand rank_command();

}  // namespace assay
