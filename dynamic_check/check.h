// The dynamic layer's one entry: runs both programs on real tensors and holds the distributed one
// against the sequential one through the relations that the static layer inferred.
#pragma once

#include <vector>

#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"
#include "shared_ir/report/verdict.h"

namespace assay {

// Runs the programs and compares every sequential tensor that has a relation, and every expectation
// of the case. `relations`: sequential tensor -> replicas, as inferred; nothing else tells the
// merger where a shard is. `views`: what the ranks' tensors hold of sequential ones, by the
// proof; those that no relation names are compared too. `static_verdict` serves the triage, and
// says what may stand on the proof alone: outputs of random numbers. Throws UserError when inputs
// and case do not fit each other.
DynamicReport dynamic_check(const Case& refinement, const std::vector<Relation>& relations,
                            Verdict static_verdict, const Programs& programs,
                            const DynamicOptions& options = {}, const RankViews& views = {});

}  // namespace assay
