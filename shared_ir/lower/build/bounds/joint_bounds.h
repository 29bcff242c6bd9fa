// What integers of a collective can be is for the programs of all ranks to say: one program alone
// reads those of an int32 sum over ranks as they wrap around.
#pragma once

#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

// Leaves out of the programs, which run together, where integers wrap around that by all of them
// cannot: what was a function of these is themselves.
void leave_out_wrapping(std::vector<CoreProgram>& ranks);

}  // namespace assay::lowering
