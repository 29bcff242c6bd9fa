// Reductions of few elements, compared element by element.
#pragma once

#include <vector>

#include "static_check/checker/sums.h"

namespace assay::checker {

// At most as many elements are compared, of a claim and of what it reduces.
inline constexpr int64_t kFewElements = 256;

// Whether `claimed` is the sum (or extremum) of `elements`: the reductions that it names are
// written out. Needs no part of a reduction to be recognised: elements that occur several times, or
// are zero, may come from anywhere. False where that is not seen. Throws Split.
bool is_sum_of(const Facts& facts, const Region& region, const Sum& claimed,
               const std::vector<Sum>& elements);
bool is_extremum_of(const Facts& facts, const Region& region, Instance::Kind kind,
                    const Sum& claimed, const std::vector<Sum>& elements);

}  // namespace assay::checker
