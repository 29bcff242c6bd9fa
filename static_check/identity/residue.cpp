#include "static_check/identity/residue.h"

#include <cstdlib>
#include <vector>

#include "static_check/identity/field.h"

namespace assay::identity {

Residue operator+(const Residue& a, const Residue& b) {
  return {kValues.add(a.value, b.value), kExponents.add(a.exponent, b.exponent)};
}
Residue operator-(const Residue& a, const Residue& b) {
  return {kValues.subtract(a.value, b.value), kExponents.subtract(a.exponent, b.exponent)};
}
Residue operator*(const Residue& a, const Residue& b) {
  return {kValues.multiply(a.value, b.value), kExponents.multiply(a.exponent, b.exponent)};
}

Residue raised(const Residue& b, int64_t exponent) {
  const auto magnitude = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
  const Residue result{kValues.power(b.value, magnitude), kExponents.power(b.exponent, magnitude)};
  if (exponent >= 0) return result;
  return {kValues.inverse(result.value), kExponents.inverse(result.exponent)};
}

Residue one_by(size_t count) {
  static const auto small = [] {
    std::vector<Residue> all;
    for (int64_t i = 1; i <= 256; ++i) all.push_back(raised({kValues.of(i), kExponents.of(i)}, -1));
    return all;
  }();
  const auto number = static_cast<int64_t>(count);
  return count <= small.size() ? small[count - 1]
                               : raised({kValues.of(number), kExponents.of(number)}, -1);
}

namespace {

Residue power_of_two(int64_t exponent) {
  constexpr int64_t kMost = 64;
  static const auto known = [] {
    std::vector<Residue> all;
    for (int64_t e = -kMost; e <= kMost; ++e) all.push_back(raised({2, 2}, e));
    return all;
  }();
  return std::abs(exponent) <= kMost ? known[static_cast<size_t>(exponent + kMost)]
                                     : raised({2, 2}, exponent);
}

}  // namespace

Residue residue_of(const Rational& value) {
  const auto [p, q, e] = value.parts();
  const Residue numerator{kValues.of(p), kExponents.of(p)};
  if (q == 1 && e == 0) return numerator;
  const Residue fraction = q == 1 ? numerator : numerator * one_by(static_cast<size_t>(q));
  return fraction * power_of_two(e);
}

}  // namespace assay::identity
