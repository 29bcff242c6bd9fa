// Did every collective deliver what its recorded inputs give?
#pragma once

#include <vector>

#include "dynamic_check/localize/operator_check.h"
#include "dynamic_check/rank_tensors.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

// Holds the k-th collective of each group against the reduction or movement of its members'
// recorded inputs: movements bit by bit, sums within one rounding per member. Faults in the order
// of the nodes; a collective of which some input was not recorded is left out.
std::vector<OperatorFault> check_collectives(const std::vector<Graph>& ranks, const Groups& groups,
                                             const RankTensors& recorded,
                                             const DeclaredOperators* declared = nullptr);

}  // namespace assay
