// Clean expressions over lifted values, and equality of values up to names.
#pragma once

#include <functional>
#include <string>

#include "shared_ir/clean_expr.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

using LeafValue = std::function<const Value&(const std::string& name, Rank rank)>;

// The value of a clean expression (shapes are known to fit). Throws NotLifted when a reshape has no
// layout.
Value evaluate(Lifting& lifting, const CleanExpr& expr, const LeafValue& leaf);

// Equal functions. Names are compared as they are first and unfolded, newest first, only where the
// sides differ.
bool equivalent(const Lifting& lifting, const Value& a, const Value& b);

}  // namespace assay
