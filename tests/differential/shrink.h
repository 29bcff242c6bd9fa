// Smaller calls of the same operator.
#pragma once

#include <functional>

#include "tests/declarations/call_pattern.h"

namespace assay::test {

// A call with `property` that loses it with one more argument left out, any size made smaller by
// one, or any element made 0. The call must have it.
DrawnCall shrink(DrawnCall call, const std::function<bool(const DrawnCall&)>& property);

}  // namespace assay::test
