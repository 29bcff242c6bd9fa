// Arithmetic on sizes that a program's attributes may make as large as they like.
#pragma once

#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// Thrown where sizes leave 64 bits, or a node becomes too many core operators; the lowering makes
// it a UserError at the node.
struct SizeOverflow {};

Int plus(Int a, Int b);
Int times(Int a, Int b);

// The product; 1 of no sizes.
Int element_count(const Shape& shape);
// The sum; 0 of no sizes.
Int total_of(const std::vector<Int>& sizes);

}  // namespace assay::lowering
