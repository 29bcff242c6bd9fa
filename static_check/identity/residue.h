// Arithmetic of residues, of both kinds at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared_ir/rational.h"
#include "static_check/identity/number.h"

namespace assay::identity {

Residue operator+(const Residue& a, const Residue& b);
Residue operator-(const Residue& a, const Residue& b);
Residue operator*(const Residue& a, const Residue& b);
Residue residue_of(const Rational& value);
// 1 / count, of a positive one.
Residue one_by(size_t count);
// b to an integer power; of a negative one b has an inverse.
Residue raised(const Residue& b, int64_t exponent);

}  // namespace assay::identity
