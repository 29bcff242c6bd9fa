// A difference of two sums, one on each of two ranks, with its relations written by hand.
#pragma once

#include "tests/dynamic/support/mlp.h"

namespace assay::test {

// y = sum(x[:n]^2, -x[n:]^2), x [2 n]: rank 0 adds up the first half, rank 1 the second, and the
// two are added. Noise in many terms averages out, and the sequential program rounds the small
// difference alone, where the ranks round two large sums.
Mlp make_difference();

}  // namespace assay::test
