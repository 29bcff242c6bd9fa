// What has an answer where its operand has no value.
#pragma once

#include <set>

#include "shared_ir/core.h"

namespace assay {

// Whether an operator that is made of one of `undefined` gives a number where that has none: NaN
// compares as false, is sorted as the greatest, and becomes some integer; exp(-1/0) is 0. Values
// that ranks exchange are followed by `programs` together; `undefined`: by program.
bool may_be_asked(const std::vector<CoreProgram>& programs,
                  const std::vector<std::set<CoreId>>& undefined);

}  // namespace assay
