// Sums of exponentials that are greater than 0, whatever constant masks leave out of them.
#pragma once

#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/lift/signs.h"

namespace assay {

// Whether each element of a sum of numbers that are not negative adds up one at least that is
// greater than 0: exp(x) where x is a real number, and not minus infinity by a mask that depends on
// no input. Decided element by element for sums of no more than a few million; false beyond, and
// for all sizes at once.
bool every_sum_is_positive(const Universe& universe, const Instance& sum,
                           const std::vector<Sign>& known);

}  // namespace assay
