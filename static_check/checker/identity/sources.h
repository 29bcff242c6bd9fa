// The elements of inputs and random operators, by what their claims say.
#pragma once

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

// The claim of an operator without operators before it, or of a random one, element by element:
// each element of an atom is a variable. The claim is taken to hold (check_inputs, check_random).
// Throws Rejection for claims of other kinds.
std::vector<Number> claimed_elements(Algebra& algebra, const Universe& universe, const CoreOp& op,
                                     const Value& claim);

}  // namespace assay::checker::identity
