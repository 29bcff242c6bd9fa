#pragma once

#include <cstddef>

namespace assay {

// What an input is, which decides its distribution (inputs/generate.h).
enum class InputRole {
  kActivation,
  kWeight,
  kScale,
  kBias,
  kTokenIds,
  kLabels,
  kMask,
  kFirstMoment,   // what an optimizer keeps: a running mean of gradients
  kSecondMoment,  // and of their squares
};

// What an input of floating point is taken for where only its number of dimensions is known. (A
// bias has one dimension as well.)
constexpr InputRole guessed_role(size_t dimensions) {
  return dimensions >= 2 ? InputRole::kWeight : InputRole::kScale;
}

}  // namespace assay
