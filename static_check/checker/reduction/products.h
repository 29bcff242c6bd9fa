// Sums of products that are products of sums.
#pragma once

#include <optional>
#include <set>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// The sum of a product of one factor over the digits of the region from number `fixed` on, through
// one of these instances (kSum), where
//   factors that are the same for all that is summed multiply the sum of the others, or
//   a factor is a sum itself, and the two sums are taken in the other order.
// nullopt when it is none of these. Throws Split.
std::optional<Product> reduce_product(const Facts& facts,
                                      const std::set<const Instance*>& candidates, size_t fixed,
                                      const Region& inner, const Product& product);

}  // namespace assay::checker
