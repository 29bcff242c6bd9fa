// Outputs of ranks that are no numbers, whatever the inputs are.
#pragma once

#include "shared_ir/proof.h"
#include "static_check/problem.h"

namespace assay {

// Throws UserError at the operator of a rank that has no value for any input (1/0, log 0) or gives
// memory that nothing has written, where every element of a tensor that the case expects, or that
// makes up an output in the certificate, comes of it by sums, products and movements: over the real
// numbers 0 * 1/0 + x is x, where the run gives NaN. Not where the specification is made so too.
// What is cut off, joined with other elements, or read by another function is left to
// domain_assumptions().
void refuse_undefined_outputs(const Problem& problem, const Certificate& certificate);

}  // namespace assay
