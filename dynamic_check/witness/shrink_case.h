// A smaller case of the same structure.
#pragma once

#include <cstdint>

#include "shared_ir/case/case.h"

namespace assay {

// Sizes below this stay as they are: ranks, dimensions, small batches.
inline constexpr int64_t kSmallSize = 9;

// Divides every size of the case by a power of two: dimensions of shapes, integer arguments of
// operators (view sizes, offsets, vocabulary bounds and their neighbours), bounds and shapes of
// clean expressions. Equal sizes shrink alike; so do the parts of a dimension and the whole (of
// slices, concatenations, relations, collectives); the sizes of a view have the product of what is
// viewed. Nothing that shrinks gets smaller than `least` (at least 1), and inputs of integers keep
// room for ids at every bound. Whether the smaller case
// still makes sense shows when it is run. Throws UserError where no such powers are found.
Case shrink_case(const Case& refinement, int64_t least = 3);

}  // namespace assay
