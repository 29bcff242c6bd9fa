// What the arithmetic of ranks leaves out in a proof.
#pragma once

#include <functional>
#include <set>

#include "static_check/problem/problem.h"

namespace assay {

// The atoms that satisfy `watched`, of which an operand of a rank's arithmetic is made at a place
// where its result is not: 0 times it, it minus itself, exp(log x). Over the real numbers it is
// gone; a run gives NaN where it is NaN. What is cut off, or masked by a condition, is no
// arithmetic. Views are compared as they are written: where the lifter regroups a value it may seem
// to be left out.
std::set<AtomId> lost_values(Problem& problem, const Certificate& certificate,
                             const std::function<bool(AtomId)>& watched);

}  // namespace assay
