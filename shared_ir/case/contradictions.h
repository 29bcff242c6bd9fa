// Contradictory input relations.
#pragma once

#include "shared_ir/case/case.h"

namespace assay {

// Throws UserError, at the later of the two relations, when one element of a distributed tensor is
// claimed for two different elements of sequential inputs, or once as a whole and once as a part of
// a sum. Exact where no reshape lies between; through a reshape, up to 2^16 elements spread over
// the tensor are compared, fewer where many such claims meet. The shapes of the relations have been
// checked.
void check_contradictions(const Case& refinement);

}  // namespace assay
