// Infinities and NaN of the ranks' constants that arithmetic meets.
#pragma once

#include "shared_ir/proof/proof.h"
#include "static_check/problem/problem.h"

namespace assay {

// That no infinite constant meets 0 or another infinity is assumed, and no number takes it away
// where one does: 0 times it, or it minus itself, is NaN. Throws UserError at the operator of a
// rank that makes NaN so where the specification, all of it, is a number, in some draw of the
// inputs. Where a condition keeps a NaN constant, what multiplies it, or adds it to itself, is an
// error without a draw. Programs that are too large to run are left to the case's own run.
void refuse_met_infinities(const Problem& problem, const Certificate& certificate);

}  // namespace assay
