// Arithmetic modulo two primes: q for what stands in exponents, p = 2q + 1 for everything else. The
// squares modulo p but 1 have order q.
#pragma once

#include <cstdint>

#include "shared_ir/rational.h"

namespace assay::checker::identity {

// Both are -1 modulo 8 and all primes up to 41. Hence these primes are squares, -1 is none, and
// x^((modulus + 1) / 4) is that root of a square x which is itself a square. So are 43, 47 and 53
// modulo p.
inline constexpr uint64_t kQ = 826343715739902359U;
inline constexpr uint64_t kP = 2 * kQ + 1;

__extension__ using Wide = unsigned __int128;

template <uint64_t kModulus>
constexpr uint64_t plus(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;  // below 2^63
  return sum >= kModulus ? sum - kModulus : sum;
}

template <uint64_t kModulus>
constexpr uint64_t minus(uint64_t a) {
  return a == 0 ? 0 : kModulus - a;
}

template <uint64_t kModulus>
constexpr uint64_t times(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(Wide{a} * b % kModulus);
}

template <uint64_t kModulus>
constexpr uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = times<kModulus>(base, base))
    if (exponent % 2 == 1) result = times<kModulus>(result, base);
  return result;
}

// The exponent modulo the order of the group, which may be negative.
template <uint64_t kModulus>
constexpr uint64_t signed_power(uint64_t base, PlainInt exponent) {
  constexpr uint64_t kOrder = kModulus - 1;
  const uint64_t size = exponent < 0 ? uint64_t{0} - static_cast<uint64_t>(exponent)
                                     : static_cast<uint64_t>(exponent);
  const uint64_t reduced = size % kOrder;
  return power<kModulus>(base, exponent < 0 && reduced != 0 ? kOrder - reduced : reduced);
}

// What a number is in both fields.
struct Residues {
  uint64_t r = 0;  // modulo p
  uint64_t e = 0;  // modulo q: what an exponential needs
};

inline Residues operator+(const Residues& a, const Residues& b) {
  return {plus<kP>(a.r, b.r), plus<kQ>(a.e, b.e)};
}
inline Residues operator-(const Residues& a) { return {minus<kP>(a.r), minus<kQ>(a.e)}; }
inline Residues operator-(const Residues& a, const Residues& b) { return a + -b; }
inline Residues operator*(const Residues& a, const Residues& b) {
  return {times<kP>(a.r, b.r), times<kQ>(a.e, b.e)};
}
// Whether it is a square modulo p: multiplicative, and of x and -x one is (the sign of a number in
// one of its cases).
constexpr bool is_square(uint64_t r) { return power<kP>(r, kQ) == 1; }
template <uint64_t kModulus>
constexpr uint64_t square_root(uint64_t square) {
  return power<kModulus>(square, (kModulus + 1) / 4);
}

inline Residues power(const Residues& x, PlainInt exponent) {
  return {signed_power<kP>(x.r, exponent), signed_power<kQ>(x.e, exponent)};
}

// Throws Rejection where a residue is 0.
Residues inverse(const Residues& x);

Residues residues_of(const Rational& value);
// Of a finite number, exactly.
Residues residues_of(double value);

}  // namespace assay::checker::identity
