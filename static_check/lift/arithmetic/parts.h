// Parts of one sum or maximum that intervals leave apart, put together where the solver says that
// they make up the whole.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

// Terms as `combine` leaves them. Parts of one view that take each value of the summed labels
// exactly once become one term, restricted by what they all share.
void unite_parts(Lifting& lifting, std::vector<Term>& terms);

// Sum of values of one shape, parts united.
Value sum_of(Lifting& lifting, std::vector<Value> values);

// The whole maximum (minimum) of which each term is a part and which they cover together, overlaps
// allowed; nullopt when they are not parts of one view, do not cover it, or unite key by key.
std::optional<Term> whole_of_maxima(Lifting& lifting, std::span<const Term> parts);

}  // namespace assay
