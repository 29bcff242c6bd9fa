// Sums of quotients: products with reciprocals among their factors.
#pragma once

#include <optional>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Takes out pairs of a positive factor and its reciprocal. Throws Split.
void cancel_reciprocals(const Facts& facts, const Region& region, Product& product);

// Takes out factors, and parts of sums, that all products share: x a + x b is zero where a + b is.
// False when there are none.
bool divide_by_common_factors(const Facts& facts, Sum& sum);

// Whether a product is divided by a positive element.
bool has_divisor(const Facts& facts, const Sum& sum);

// The sum times a positive divisor of one of its products, which then stands under no reciprocal:
// zero exactly where the sum is zero. Not normalised. nullopt when there is none, or when a box
// would restrict the divisor. Throws Split.
std::optional<Sum> over_common_divisor(const Facts& facts, const Region& region, const Sum& sum);

}  // namespace assay::checker
