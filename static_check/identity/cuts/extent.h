// Which operators give numbers, and which may give infinities.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_ir/core.h"

namespace assay::identity {

// Each says more than those before it.
enum class Extent : uint8_t {
  kUnknown,
  kNumberOrMinusInfinity,  // what a mask leaves of scores
  kNumber,
  kOfNumbers  // and so is all that it is computed of
};

// By operator, for all inputs for which logarithms, quotients and powers are defined; of what is
// made of flags and integers alone, such as a mask, they may not be where it may be 0. Inputs are
// numbers.
std::vector<Extent> extents_of(const CoreProgram& program);

}  // namespace assay::identity
