// A smaller case of the same structure: every size divided by a common factor.
#pragma once

#include <cstdint>

#include "shared_ir/case.h"

namespace assay {

// Replaces every size c = f q + r of the case, with |r| <= 2, by q + r: dimensions of shapes,
// integer arguments of operators (view sizes, offsets, vocabulary bounds and their neighbours),
// bounds and shapes of clean expressions. Integers below the factor stay: ranks, dimensions,
// numbers of heads. Whether the smaller case still makes sense shows when it is run. Throws
// UserError when an integer is no such size, or a dimension would vanish.
Case reduce_case(const Case& refinement, int64_t factor);

}  // namespace assay
