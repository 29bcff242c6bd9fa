// Assumptions that no input satisfies.
#pragma once

#include <optional>

#include "shared_ir/proof/proof.h"
#include "shared_ir/report/report.h"
#include "static_check/domains/partial_functions.h"
#include "static_check/problem/problem.h"

namespace assay {

// A proof may take it that functions are defined where they are called: `domains`. Runs both
// programs on numbers of both signs and many scales, and throws UserError at a function an argument
// of which lies outside of its domain each time (log(-exp(x)), 1/0):
// * of the ranks, where they give at a place of what was proved no number but the specification
//   one, each time;
// * of the specification, where both give a number, and not the same (x >= 0/0 beside x >= 0);
// and at a function of the ranks, an argument of which lies outside for one draw for which those of
// the specification are defined, where something asks for its value (isfinite(sqrt(x)), log(x) > 0)
// and both give a number, and not the same. What it returns ends the proof: a function of the ranks
// that has no value for a draw for which they are NaN where the specification, all of it, is a
// number (x beside exp(log(x)); where(x > 0, log(x), 0) beside log(x) * (x > 0)).
// Programs that are too large to run are left to the case's own run.
std::optional<FailureReport> refuse_contradicted_domains(const Problem& problem,
                                                         const Certificate& certificate,
                                                         const DomainAssumptions& domains);

}  // namespace assay
