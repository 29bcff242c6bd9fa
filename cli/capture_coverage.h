#pragma once

#include <string>

#include "shared_ir/operator_table/operator_table.h"

namespace assay::cli {

// How many of PyTorch's core operators, and of those that models call, captures of C++ programs
// record, and have a declaration; which they refuse, and why.
std::string capture_coverage(const OperatorTable& operators);

}  // namespace assay::cli
