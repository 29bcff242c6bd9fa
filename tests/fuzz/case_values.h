// Random cases as numbers.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "static_check/check.h"
#include "tests/fuzz/drawing/random_case.h"

namespace assay::test {

/// Runs both sides of a proved case in float64, on inputs that satisfy its relation, and compares
/// what was proved. Empty where all agrees, or where the sequential program has no finite values;
/// what comes of a comparison or a conversion to integers that rounding alone decides is left out;
/// else what differs. Throws UserError where an operator refuses the numbers.
std::string difference_of(const RandomCase& drawn, const StaticResult& result, uint64_t seed);

}  // namespace assay::test
