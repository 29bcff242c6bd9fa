// kBlock of a whole matrix.
#pragma once

#include <span>

#include "static_check/checker/identity/functions.h"

namespace assay::checker::identity {

// Fills `out` by the formulas of shared_ir/reference/matrix_functions.cpp; false where the function
// is none of them, a number is none that these are computed with, or the matrix is large.
bool matrix_function(Algebra& algebra, const Use& use, std::span<const NumberBlock> of,
                     NumberBlock& out);

}  // namespace assay::checker::identity
