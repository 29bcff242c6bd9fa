// Sums of few elements, written out.
#pragma once

#include <optional>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// At most as many elements are written out, of a claim and of what it reduces.
inline constexpr Int kFewElements = 256;

// Whether the atom is a reduction of this kind of few elements.
bool is_reduction_of_few(const Facts& facts, AtomId atom, Instance::Kind kind);

// The product with factor `at`, a reduction for which is_reduction_of_few(), replaced by each of
// the elements that the product's boxes leave of it. Its value is the sum (or the extremum, where
// the factor is one) of the result. nullopt where a box would change its meaning. Throws Split.
std::optional<Sum> written_out(const Facts& facts, const Region& region, const Product& product,
                               size_t at);

}  // namespace assay::checker
