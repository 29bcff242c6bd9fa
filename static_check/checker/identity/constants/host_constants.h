// Constants of the programs that are computed of others of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "static_check/checker/joint.h"

namespace assay::checker::identity {

// The product of powers of two other constants, or of one: base^exponent * other^power, where an
// exponent of 1/2 is a root.
struct Computed {
  double base = 1;
  Rational exponent = 1;
  double other = 1;
  int power = 0;
  std::string text = {};
};

// By absolute values. What `is_known` needs no other. No constant is computed of itself, nor of
// what is computed of it.
using ComputedConstants = std::map<double, Computed>;
ComputedConstants computed_constants(const Joint& joint,
                                     const std::function<bool(double)>& is_known);

}  // namespace assay::checker::identity
