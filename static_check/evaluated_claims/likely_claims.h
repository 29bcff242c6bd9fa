// Which tensors of the ranks seem to be tensors of the specification that nothing relates to them.
#pragma once

#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/problem/problem.h"

namespace assay {

struct LikelyClaim {
  TensorId sequential;
  std::vector<CleanExpr> replicas;  // a tensor of each rank, or all of them along a dimension
};

// Tensors of numbers that do not wrap around, without one of the `relations` that have the numbers
// of the ranks' tensors in a few draws, in the order of the specification. None where the programs
// are too large for that, or have operators without numbers. Of a problem that is lifted, and whose
// collectives meet. Throws TimedOut.
std::vector<LikelyClaim> likely_claims(const Problem& problem, const RelationMap& relations);

}  // namespace assay
