#pragma once

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

}  // namespace assay
