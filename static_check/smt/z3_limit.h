// Questions to z3 under a time limit.
#pragma once

#include <z3++.h>

#include "shared_ir/symbolic/integer.h"

namespace assay {

// Asks whether the solver's assertions can hold, for that long at most. z3 may miss its limit by
// far on a busy machine; what it says later is `unknown`: whether there is an answer should not
// hang on luck.
z3::check_result check_within(z3::solver& solver, Int limit_ms);

}  // namespace assay
