// Rows of a tensor in place of some of another's.
#pragma once

#include "shared_ir/lower/builtins/call.h"

namespace assay::lowering {

struct Places {
  Int start;
  Int step;  // 1 or more
  Int count;
};

// x with `rows`, broadcast, in place of what it has at these places of `dim`.
CoreId overwritten(Call& call, CoreId x, CoreId rows, Int dim, const Places& places);

}  // namespace assay::lowering
