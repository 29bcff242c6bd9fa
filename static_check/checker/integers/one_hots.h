// One-hots of indices.
#pragma once

#include <optional>
#include <vector>

#include "static_check/checker/operators.h"

namespace assay::checker {

// The integer element that the claim is the one-hot of, at this class; nullopt where it is not one
// one-hot.
std::optional<Factor> element_behind(const Facts& facts, const Region& region, const Sum& claim,
                                     const Affine& category);

// What a one-hot is there, 1 where the index equals the class: what it claims, where that is a
// one-hot of the index by any name; a one-hot where the index is x + b, a guard where it is
// constant. Throws Split; Rejection where no rule says it.
Sum one_hot(const Step& step, const Region& region, const std::vector<Affine>& coords);

}  // namespace assay::checker
