// Indices of ranks that lie outside of their tables.
#pragma once

#include "static_check/problem/problem.h"

namespace assay {

// That indices lie in their tables is assumed of those that the specification uses. Throws
// UserError at an operator of a rank whose index does not, for a draw of inputs on which the
// specification's do: PyTorch stops there, or reads other memory, whether what is read is needed or
// not. Only operators whose indices the proof does not follow are looked at: of the others it shows
// that they stay within. Programs that are too large to run are left to the case's own run.
void refuse_indices_outside(const Problem& problem);

}  // namespace assay
