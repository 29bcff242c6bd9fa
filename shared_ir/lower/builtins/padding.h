// Elements of one number around a dimension.
#pragma once

#include "shared_ir/lower/builtins/call.h"

namespace assay::lowering {

// x with `before` and `after` times the number at the ends of dimension `dim`; a negative width
// cuts off. Fails when more is cut off than there is.
CoreId padded(Call& call, CoreId x, int64_t dim, int64_t before, int64_t after, double number);

// `step` - 1 zeros between neighbours of dimension `dim`.
CoreId spaced(Call& call, CoreId x, int64_t dim, int64_t step);

}  // namespace assay::lowering
