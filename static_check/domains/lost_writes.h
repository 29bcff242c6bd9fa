// Values of ranks that are lost where indices name an element twice.
#pragma once

#include "static_check/problem/problem.h"

namespace assay {

// Throws UserError at the operator of a rank that writes (scatter, index_put without accumulation)
// at indices which may be equal, where the specification has no such write: it says what becomes of
// values that meet, and the rank keeps one of them.
void refuse_lost_writes(const Problem& problem);

}  // namespace assay
