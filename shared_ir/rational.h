// Exact rational coefficients. A float constant is the simplest p/q (q <= 2^16; q <= 2^12 where the
// constant is a float32 value) that rounds to it, else its exact value (DESIGN, section 3,
// semantics).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "shared_ir/integer.h"

namespace assay {

// p/q in lowest terms, q > 0. Arithmetic throws RationalOverflow when a result leaves 64 bits.
class Rational {
 public:
  constexpr Rational() = default;
  template <class T>
    requires(std::is_integral_v<T> || std::is_same_v<T, int64_t>)
  constexpr Rational(T integer) : p_(integer) {}  // NOLINT: implicit by intent
  Rational(int64_t numerator, int64_t denominator);

  int64_t numerator() const { return p_; }
  int64_t denominator() const { return q_; }
  bool is_zero() const { return p_ == 0; }
  bool is_one() const { return p_ == q_; }
  double to_double() const { return static_cast<double>(p_) / static_cast<double>(q_); }

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  // Throws InternalError when b is zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) {
    return same_fraction(a.p_, a.q_, b.p_, b.q_);
  }

 private:
  // Lowest terms with a positive denominator, or RationalOverflow.
  static Rational reduced(WideInt p, WideInt q);

  int64_t p_ = 0;
  int64_t q_ = 1;
};

struct RationalOverflow {};

// "3", "-1/2".
std::string to_string(const Rational& value);

struct RationalFromDouble {
  Rational value;
  bool rounded;  // true: the simplest rational was taken instead of the exact binary value (to be
                 // listed)
  bool exact;    // false: neither fits 64 bits; value is then meaningless
};
// The rational that a constant of a program stands for. NaN and infinities give exact = false.
RationalFromDouble rational_from_double(double constant);

}  // namespace assay
