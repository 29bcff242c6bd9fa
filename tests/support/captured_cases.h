// Changed forms of the captured graphs.
#pragma once

#include <cstdint>
#include <map>

#include "shared_ir/case/case.h"

namespace assay::test {

using Sizes = std::map<int64_t, int64_t>;

/// Replaces sizes wherever the graphs' shapes and arguments have them.
void replace_sizes(Case& refinement, const Sizes& sizes);

/// The joint forward and backward graph "bug7-missing-dgrad-allreduce" with the all-reduce that it
/// lacks. Weights of the normalisation of single heads have their gradients summed over ranks
/// later: what was accumulated before comes in parts as well.
Case mended_backward();

}  // namespace assay::test
