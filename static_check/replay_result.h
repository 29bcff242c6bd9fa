// The last step of a check: what it claims is replayed by the independent checker.
#pragma once

#include "static_check/check.h"
#include "static_check/problem/problem.h"

namespace assay {

// Replays the result's certificate on the problem's programs; `asked` is the case that the user
// gave. What is not proved has claims as well: they are in the report's relations. A run that
// stopped early, or ranks that cannot run to their end, claim nothing. What the checker cannot
// decide is withdrawn: the verdict is unproved then. Throws InternalError when the checker rejects
// the certificate.
void replay_result(const Case& asked, const Problem& problem, StaticResult& result);

// What was proved is not: nothing is claimed, for this reason.
void withdraw_claims(StaticResult& result, FailureReport why);

}  // namespace assay
