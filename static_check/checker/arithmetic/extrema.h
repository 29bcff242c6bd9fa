// Maxima and minima of few elements, compared element by element; of parts of sums: boxes.h.
#pragma once

#include <vector>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Whether the sum is one term, and where it is a part of an extremum, of one of this kind: what the
// extremum of it and others is a union of.
bool is_extremum_part(const Facts& facts, Instance::Kind kind, const Sum& sum);

// Whether `claimed` is the maximum (or minimum) of `elements`: the reduction that it names is
// written out. Needs no part of a reduction to be recognised: elements that occur several times may
// come from anywhere. False where that is not seen. Throws Split.
bool is_extremum_of(const Facts& facts, const Region& region, Instance::Kind kind,
                    const Sum& claimed, const std::vector<Sum>& elements);

}  // namespace assay::checker
