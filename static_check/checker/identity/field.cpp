#include "static_check/checker/identity/field.h"

#include <cmath>

#include "static_check/checker/facts/regions.h"

namespace assay::checker::identity {
namespace {

template <uint64_t kModulus>
uint64_t residue(PlainInt value) {
  const uint64_t size =
      value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return value < 0 ? minus<kModulus>(size % kModulus) : size % kModulus;
}

Residues of_integer(PlainInt value) { return {residue<kP>(value), residue<kQ>(value)}; }

Residues power_of_two(PlainInt exponent) { return power(Residues{2, 2}, exponent); }

}  // namespace

Residues inverse(const Residues& x) {
  if (x.r == 0 || x.e == 0) throw Rejection{"a division by what is 0 in a finite field"};
  return power(x, -1);
}

Residues residues_of(const Rational& value) {
  const Rational::Parts parts = value.parts();
  Residues result = of_integer(static_cast<PlainInt>(parts.p));
  if (parts.q != 1) result = result * inverse(of_integer(static_cast<PlainInt>(parts.q)));
  if (parts.e != 0) result = result * power_of_two(parts.e);
  return result;
}

Residues residues_of(double value) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(value, &exponent), 53);
  return of_integer(static_cast<PlainInt>(mantissa)) * power_of_two(exponent - 53);
}

}  // namespace assay::checker::identity
