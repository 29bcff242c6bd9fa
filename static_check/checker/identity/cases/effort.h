// How long the checker evaluates by cases: what takes longer it rejects.
#pragma once

#include "shared_ir/symbolic/integer.h"

namespace assay::checker::identity {

// Elements to be evaluated for all equations of a certificate: a few seconds. More than it takes
// to find such a proof, of which the checker tells more cases apart.
inline constexpr PlainInt kMostWork = PlainInt{3} << 22;
// Decisions that one term may depend on, without and with ties.
inline constexpr float kMostBits = 9, kMostTieBits = 10;
// Elements in all evaluations of every choice of indices and flags: a few seconds.
inline constexpr PlainInt kMostChoiceWork = PlainInt{1} << 25;

}  // namespace assay::checker::identity
