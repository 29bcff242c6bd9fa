// Which tensors within the programs seem to be equal although they are computed in other ways.
#pragma once

#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/problem/problem.h"

namespace assay::identity {

// A tensor of the specification, and what it seems to be of the ranks'.
struct LikelyEquation {
  CleanExpr sequential;
  std::vector<CleanExpr> replicas;
};

// Those that agree in a few cases, in the order of the specification's tensors: each rank's tensor
// of a name, or all of them put together along a dimension.
struct LikelyEquations {
  // Not those that an operator of one name gives of operands that agree.
  std::vector<LikelyEquation> computed_otherwise;
  // Floating tensors that are computed alike, and of which others are computed that are not.
  std::vector<LikelyEquation> last_alike;
};

// None where cases cannot be evaluated. Throws TimedOut.
LikelyEquations likely_equations(const Problem& problem);

}  // namespace assay::identity
