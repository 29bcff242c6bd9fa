// Assumptions that no input satisfies.
#pragma once

#include <set>

#include "shared_ir/proof.h"
#include "static_check/problem.h"

namespace assay {

// A proof may take it that functions of the ranks are defined where they are called: those whose
// results are `assumed`. Throws UserError at one of them that is not, where both programs, run on
// numbers of both signs and many scales, give at a place of what was proved no number on the ranks
// but one in the specification, each time, and an argument lies outside of the function's domain,
// each time: log(-exp(x)), 1/0. Programs that are too large to run are left to the case's own run.
void refuse_contradicted_domains(const Problem& problem, const Certificate& certificate,
                                 const std::set<AtomId>& assumed);

}  // namespace assay
