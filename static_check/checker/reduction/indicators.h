// A guarded product as one element of an atom: guards are factors, 1 where they hold, else 0.
#pragma once

#include <optional>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// The element of `atom`, a product or an integer map, that equals the product on the region, its
// coefficient and boxes kept; nullopt when none is found.
std::optional<Product> as_element(const Facts& facts, const Region& region, const Product& product,
                                  AtomId atom);

// The same for a sum of such products, as the pieces of an integer map are; its coefficient is 1.
std::optional<Product> as_element(const Facts& facts, const Region& region, const Sum& sum,
                                  AtomId atom);

}  // namespace assay::checker
