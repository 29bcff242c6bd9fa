// Elements of one number around a dimension.
#pragma once

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// x with `before` and `after` times the number at the ends of dimension `dim`; a negative width
// cuts off. Fails when more is cut off than there is.
CoreId padded(Call& call, CoreId x, Int dim, Int before, Int after, double number);

// `step` - 1 zeros between neighbours of dimension `dim`.
CoreId spaced(Call& call, CoreId x, Int dim, Int step);

}  // namespace assay::lowering
