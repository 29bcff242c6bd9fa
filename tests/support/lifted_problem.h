#pragma once

#include <chrono>

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/problem/problem.h"

namespace assay::test {

/// Both programs of the case, lowered as they are and lifted. The case must outlive it. Throws
/// UserError as the static check does, and TimedOut.
Problem lifted_problem(const Case& refinement, const OperatorTable& operators,
                       std::chrono::milliseconds patience = std::chrono::seconds(60));

}  // namespace assay::test
