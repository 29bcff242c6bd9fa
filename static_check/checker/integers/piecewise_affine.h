// Integer and boolean operators on piecewise affine maps.
#pragma once

#include "shared_ir/core.h"
#include "static_check/checker/element_at.h"

namespace assay::checker {

// Whether every integer or boolean of one type is the same number in the other. Integer to floating
// point counts as exact.
bool widens(DType from, DType to);

// Whether the claimed element is the operator (kLinear, kMul, kKeep, kCast, or a comparison or
// logical kMap) applied to the operands' elements, all being functions of one integer element.
// Decided on the intervals between all break points: there every operand and the claim are affine,
// so they agree if their coefficients do (on an interval of one integer: their values). False also
// when the rule does not apply. Throws Split.
bool holds_by_pieces(const Facts& facts, const Region& region, const CoreOp& op,
                     DType operand_dtype, const std::vector<Element>& operands,
                     const Element& claim);

}  // namespace assay::checker
