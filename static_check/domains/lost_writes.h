// Values that are lost where indices name an element twice.
#pragma once

#include "static_check/problem/problem.h"

namespace assay {

// Throws UserError at an operator that writes (scatter, index_put without accumulation) at indices
// which may be equal: of the specification, where these always meet, because there are more of them
// than places or in every draw of the numbers that they follow from; of a rank, where the
// specification has no such write. That says what becomes of values that meet, and the rank keeps
// one of them.
void refuse_lost_writes(const Problem& problem);

}  // namespace assay
