// Arithmetic of restrictions: sums and unions of boxes, cell by cell over the points where any of
// them begins or ends.
#pragma once

#include <vector>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Whether two products have the same boxes under a maximum. They are part of a product's identity:
// maxima do not add up.
bool same_maxima(const Product& a, const Product& b);

// Whether products with the same factors (and maxima) add up to zero: at every value of their
// hidden labels and guarded elements, the coefficients of the products whose boxes and guards hold
// there sum to 0. An index has the values alone that the sequential program's indices leave it.
// Throws RationalOverflow.
bool vanishes(const Facts& facts, const Region& region, const std::vector<Product>& alike);

// Whether the maxima boxes of `a` and those of `b` cover the same values of the labels, overlaps
// allowed.
bool same_union(const Facts& facts, const std::vector<Product>& a, const std::vector<Product>& b);

// The sum with parts of one sum that lie apart, and count as often, as one part.
std::vector<Product> with_parts_united(std::vector<Product> sum);

}  // namespace assay::checker
