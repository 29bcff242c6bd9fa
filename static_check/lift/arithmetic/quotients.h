// Quotients of views that are known to be positive (signs.h).
#pragma once

#include <optional>

#include "static_check/lift/arithmetic/tile_arithmetic.h"

namespace assay {

// coef * product of the numerators / product of the denominators.
struct Quotient {
  Rational coef = 1;
  Views numerators, denominators;
};

// The tile as one quotient: a sum of positive terms, or a difference that comes out as one. nullopt
// unless the coefficient and all views are positive.
std::optional<Quotient> quotient_of(TileArithmetic& arithmetic, const Tile& of);

// The quotient's numerators times the reciprocals of its denominators.
Tile as_product(TileArithmetic& arithmetic, const Quotient& quotient);

}  // namespace assay
