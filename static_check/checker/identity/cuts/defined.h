// Whether an operator gives a number whatever numbers it is given.
#pragma once

#include <span>

#include "shared_ir/core.h"
#include "static_check/checker/identity/evaluated_number.h"

namespace assay::checker::identity {

// A function of elements, at one place. `known_positive`: what is known of the only operand.
bool map_is_defined(const std::string& fn, bool known_positive);
// Any other operator.
bool is_always_defined(const CoreOp& op);

}  // namespace assay::checker::identity
