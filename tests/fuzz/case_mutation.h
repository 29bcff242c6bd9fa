// Small changes of whole cases, valid or not: mistakes, and rewrites that compute the same.
#pragma once

#include <random>

#include "shared_ir/case/case.h"

namespace assay::test {

/// Changes one node or relation: operands change places, another tensor of the same type is read, a
/// constant is another, an operator is its neighbour, two calls change places, parts of a relation
/// change places. Of one rank, of all ranks, or of the sequential program.
void mutate(Case& refinement, std::mt19937_64& random);

}  // namespace assay::test
