// The integers of sizes, indices and coefficients. Ordinarily they are int64; the sources that say
// Int are compiled a second time (ASSAY_SYMBOLIC) where an Int knows how it depends on the symbols
// of a case, for a verdict on all sizes (symbolic/replay.h, static_check/symbolic).
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

namespace assay {
using PlainInt = int64_t;  // one that does not depend on symbols
}

#ifdef ASSAY_SYMBOLIC

#include "shared_ir/symbolic/number.h"
#include "shared_ir/symbolic/number_format.h"
#include "shared_ir/symbolic/replay.h"

namespace assay {

using Int = symbolic::Number;
using WideInt = symbolic::Number;

using symbolic::abs;
using symbolic::add_overflow;
using symbolic::common_divisor;
using symbolic::decimal;
using symbolic::mul_overflow;

// Whether to skip a division by it.
inline bool is_unit(const Int& value) { return value.is_constant() && value.value() == 1; }
// p / q = r / s; none of these need be in lowest terms.
inline bool same_fraction(const Int& p, const Int& q, const Int& r, const Int& s) {
  return p * s == r * q;
}

// Whether it is the same at every instance.
inline bool is_number(const Int& value) {
  return value.is_constant() || symbolic::Replay::current().number_of(value).has_value();
}
// Divides by the largest power of two that divides it at every instance, and returns the exponent;
// 0 of zero.
constexpr PlainInt take_twos(Int& value) {
  if (value.is_constant() && value.value() == 0) return 0;
  PlainInt twos = 0;
  const Int divisor = common_divisor(value, PlainInt{1} << 62);
  for (PlainInt rest = divisor.value(); rest > 1; rest /= 2) ++twos;
  value /= divisor;
  return twos;
}

// Decided at the instance alone: that no tensor is that large is an assumption of the report.
inline bool exceeds(const Int& value, const Int& limit) { return value.value() > limit.value(); }

// A symbol of the case, at the instance; a multiple of `divisor` at every instance.
inline Int symbol(const std::string& name, PlainInt value, PlainInt divisor) {
  return symbolic::Replay::current().symbol(name, value, divisor);
}
// The constraints say that low <= high (or <) at every instance.
inline void assume_ordered(const Int& low, const Int& high, bool strictly) {
  symbolic::Replay::current().assume_nonnegative(high - low - (strictly ? 1 : 0));
}
// What is decided from here on is asked by this operator.
template <class Describe>
void asked_by(const Describe& describe) {
  symbolic::Replay::current().set_operator(describe());
}

}  // namespace assay

#else

namespace assay {

using Int = int64_t;
__extension__ using WideInt = __int128;

using std::abs;
inline Int common_divisor(Int a, Int b) { return std::gcd(a, b); }
inline WideInt common_divisor(WideInt a, WideInt b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const WideInt rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
inline bool is_unit(WideInt value) { return value == 1; }
inline bool is_number(WideInt) { return true; }
template <class Integer>
constexpr PlainInt take_twos(Integer& value) {
  PlainInt twos = 0;
  if (value == 0) return twos;
  for (; static_cast<uint32_t>(value) == 0; twos += 32) value >>= 32;
  const int rest = std::countr_zero(static_cast<uint32_t>(value));
  value >>= rest;
  return twos + rest;
}
// Of fractions in lowest terms.
inline bool same_fraction(Int p, Int q, Int r, Int s) { return p == r && q == s; }
inline bool add_overflow(Int a, Int b, Int* sum) { return __builtin_add_overflow(a, b, sum); }
inline bool mul_overflow(Int a, Int b, Int* product) {
  return __builtin_mul_overflow(a, b, product);
}
template <class Integer>
std::string decimal(Integer value) {
  return std::to_string(value);
}

inline bool exceeds(Int value, Int limit) { return value > limit; }
inline Int symbol(const std::string&, PlainInt value, PlainInt) { return value; }
inline void assume_ordered(Int, Int, bool) {}
template <class Describe>
void asked_by(const Describe&) {}

}  // namespace assay

#endif

namespace assay {

// Rounded down, where integer division rounds towards zero. b is not 0.
inline Int floor_divide(const Int& a, const Int& b) {
  const Int quotient = a / b;
  return (b > 0 ? quotient * b > a : quotient * b < a) ? quotient - 1 : quotient;
}

}  // namespace assay
