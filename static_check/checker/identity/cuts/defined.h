// Whether an operator gives a number, or a positive one, whatever numbers it is given.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/core.h"

namespace assay::checker::identity {

// A function of elements, at one place. `known_positive`: what is known of the only operand, or of
// no number for which the function is not defined.
bool map_is_defined(const std::string& fn, bool known_positive);
// Any other operator.
bool is_always_defined(const CoreOp& op);
// Operators whose results are numbers whatever the inputs are, where no logarithm, quotient or
// power is of what it is not defined for; `of_numbers`: and nothing that they are computed of is
// infinite.
struct Numbers {
  std::vector<bool> always, of_numbers;
};
Numbers numbers_of(const CoreProgram& program);

// Operators whose results are positive whatever the inputs are, as far as that is seen, where
// nothing that they are computed of is infinite.
std::vector<bool> always_positive(const CoreProgram& program);

}  // namespace assay::checker::identity
