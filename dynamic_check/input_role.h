// What an input of a program is, which decides its distribution (inputs/generate.h).
#pragma once

namespace assay {

enum class InputRole { kActivation, kWeight, kScale, kBias, kTokenIds, kLabels, kMask };

}  // namespace assay
