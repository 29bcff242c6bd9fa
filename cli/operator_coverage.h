// How many of PyTorch's core operators have a meaning here.
#pragma once

#include <string>
#include <string_view>

#include "shared_ir/operator_table/operator_table.h"

namespace assay::cli {

// The operators that PyTorch's exports reduce programs to: those that are declared, those whose
// effect captures record by themselves, and those that are opaque, with the reason.
std::string core_coverage(const OperatorTable& operators);

// Whether the operator has a declaration that says what it computes of some arguments.
bool has_meaning(const OperatorTable& operators, std::string_view op);

}  // namespace assay::cli
