// exp, log, reciprocal and sigmoid of formal sums, where the claim is no call of the function but a
// product or a sum that it equals.
#pragma once

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Whether `claim` = fn(operand) on the region. False also when no rule decides it. The rules:
//   the claim is the function's own atom, read at the operand;
//   exp and log: exp(claimed logarithm) is the other side, where exp(log s) = s for positive s,
//   exp(x + y) = exp(x) exp(y) and 1 / exp(x) = exp(-x);
//   reciprocal: claim * operand = 1;
//   sigmoid(log a - log b) = a / (a + b) for positive a and b.
// Throws Split.
bool holds_exponentially(const Facts& facts, const Region& region, const std::string& fn,
                         const Sum& operand, const Sum& claim);

}  // namespace assay::checker
