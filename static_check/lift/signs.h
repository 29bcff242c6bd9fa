// What is known of an atom's elements as real numbers, from how the atom is made.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"

namespace assay {

struct Sign {
  bool below = false;        // every element is a real number or minus infinity
  bool finite = false;       // a real number
  bool positive = false;     // and greater than 0; so is every part of a sum that it hides
  bool nonnegative = false;  // a real number that is not less than 0; the same
  bool above = false;        // a real number or infinity
  // Every element is greater than 0; parts of a sum that it hides may be 0.
  bool whole_positive = false;
};

// The sign of the universe's atom number `known.size()`, those of the atoms before it given. Inputs
// are taken to be finite.
Sign next_sign(const Universe& universe, const std::vector<Sign>& known);

// Whether the function is a clamp to an interval of real numbers from below: of what is real or
// minus infinity it makes a real number.
bool is_bounded_below(const std::string& fn);

}  // namespace assay
