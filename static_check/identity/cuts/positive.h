// What is positive by the operators that make it, whatever the inputs are, where nothing that it is
// computed of is infinite (extent.h).
#pragma once

#include <vector>

#include "shared_ir/core.h"

namespace assay::identity {

// By operator.
std::vector<bool> always_positive(const CoreProgram& program);

}  // namespace assay::identity
