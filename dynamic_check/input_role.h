#pragma once

namespace assay {

// What an input is, which decides its distribution (inputs/generate.h).
enum class InputRole { kActivation, kWeight, kScale, kBias, kTokenIds, kLabels, kMask };

}  // namespace assay
