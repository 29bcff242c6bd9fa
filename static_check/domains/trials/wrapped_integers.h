// Integers that wrap around for every input.
#pragma once

#include "static_check/problem/problem.h"

namespace assay {

// That integers do not wrap around is assumed where a program reads them as numbers. Throws
// UserError at an operator of either program of which one is beyond the range of its type in all of
// the draws of the inputs: there the assumption says nothing. Programs that are too large to run
// are left to the case's own run.
void refuse_wrapped_integers(const Problem& problem);

}  // namespace assay
