// Functions that are a number for all arguments.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/core.h"

namespace assay::identity {

// Of elements. Others are where their one operand is known to be positive.
bool is_total(const std::string& fn);
bool is_defined_for_positive(const std::string& fn);
// Of blocks.
bool is_total_of_blocks(const std::string& fn);

}  // namespace assay::identity
