// How large integers of a program can be, by what their operators are.
#pragma once

#include <vector>

#include "shared_ir/core.h"

namespace assay::identity {

// By program, of those that run together, and operator: whether it is one of integers, flags apart,
// that stays within its type's range whatever the inputs are, because it counts or adds up few of
// what is small, of other ranks' too, or is taken to (CoreProgram::unwrapped), which the report
// lists.
std::vector<std::vector<bool>> stay_in_range(const std::vector<CoreProgram>& programs);

}  // namespace assay::identity
