// Did every collective deliver what its recorded inputs give?
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/localize/judgement.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

// By rank and node.
using CollectiveJudgements = std::map<std::pair<Rank, NodeId>, Judgement>;

// Holds the k-th collective of each group against the reduction or movement of its members'
// recorded inputs: movements bit by bit, sums within one rounding per member. A collective of which
// some input was not recorded is not judged.
CollectiveJudgements check_collectives(const std::vector<Graph>& ranks, const Groups& groups,
                                       const RankTensors& recorded,
                                       const DeclaredOperators* declared = nullptr);

}  // namespace assay
