// Arithmetic on sizes that a program's attributes may make as large as they like.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// Thrown where sizes leave 64 bits, or a node becomes too many core operators; the lowering makes
// it a UserError at the node.
struct SizeOverflow {};

int64_t plus(int64_t a, int64_t b);
int64_t times(int64_t a, int64_t b);
// Rounded down; b is positive.
int64_t quotient_down(int64_t a, int64_t b);

// The product; 1 of no sizes.
int64_t element_count(const Shape& shape);
// The sum; 0 of no sizes.
int64_t total_of(const std::vector<int64_t>& sizes);

}  // namespace assay::lowering
