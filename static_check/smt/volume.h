// The share of a sum's values that a part takes.
#pragma once

#include <optional>

#include "shared_ir/rational.h"
#include "static_check/smt/solver.h"

namespace assay {

// Values of the labels within the boxes, as an exact fraction of all values; nullopt when two boxes
// restrict overlapping digits of one label, whose shares do not multiply. Throws RationalOverflow.
std::optional<Rational> volume(const Boxes& boxes);

}  // namespace assay
