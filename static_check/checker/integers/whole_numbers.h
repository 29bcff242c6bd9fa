// Floating numbers that were rounded to integers, which a cast to integers keeps.
#pragma once

#include "shared_ir/core.h"

namespace assay::checker {

// Whether the cast `op` of the program, from a floating type to one of integers, changes none of
// the numbers: each was rounded, and limited to what the type holds. That int32 and int64 hold what
// nothing limits is an assumption that lowering lists.
bool keeps_whole_numbers(const CoreProgram& program, const CoreOp& op);

}  // namespace assay::checker
