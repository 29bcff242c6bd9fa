// Claims that do not follow from what an operator's operands claim, but are evaluated.
#pragma once

#include "static_check/checker/joint.h"

namespace assay::checker {

// Which operators make such claims. Throws Rejection for a claim of another form.
void find_evaluated_claims(Joint& joint);

// Whether the operator makes one: then what it claims is what the sequential tensor claims, which
// must have been checked. Throws Rejection where it claims something else.
bool makes_evaluated_claim(Joint& joint, const OpRef& ref);

// All of them by evaluation, where the claims of what is cut have been checked. Throws Rejection,
// and Undecided where an evaluation does not show what is claimed.
void check_evaluated_claims(Joint& joint);

}  // namespace assay::checker
