// Exact rational coefficients. A float constant is the simplest p/q (q <= 2^16; q <= 2^12 where the
// constant is a float32 value) that rounds to it, else its exact value.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "shared_ir/symbolic/integer.h"

namespace assay {

struct RationalOverflow : std::exception {
  const char* what() const noexcept override { return "a fraction leaves 64 bits"; }
};

// p/q * 2^e in lowest terms, q > 0. 2 divides neither p nor q (zero is 0/1), so that powers of two,
// which sizes of models and values of floats mostly are, take no room in their 64 bits. Arithmetic
// throws RationalOverflow when p or q leaves 64 bits or |e| exceeds kLargestExponent.
class Rational {
 public:
  static constexpr PlainInt kLargestExponent = 512;

  constexpr Rational() = default;
  template <class T>
    requires(std::is_integral_v<T> || std::is_same_v<T, Int>)
  constexpr Rational(T integer) : p_(integer) {  // NOLINT: implicit by intent
    e_ = take_twos(p_);
  }
  Rational(Int numerator, Int denominator);

  // Of the fraction in lowest terms. Throws RationalOverflow when one of both leaves 64 bits.
  Int numerator() const;
  Int denominator() const;

  bool is_zero() const { return p_ == 0; }
  bool is_one() const { return *this == Rational(1); }
  bool is_positive() const { return p_ > 0; }
  bool is_negative() const { return p_ < 0; }
  bool is_integer() const { return e_ >= 0 && q_ == 1; }
  // Whether neither the numerator's magnitude nor the denominator exceeds `limit`.
  bool fits(Int limit) const;
  double to_double() const;

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  // Throws InternalError when b is zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) {
    return a.e_ == b.e_ ? same_fraction(a.p_, a.q_, b.p_, b.q_) : same_despite_exponents(a, b);
  }

  // What it is stored as: equal where rationals are equal, unless they depend on symbols.
  struct Parts {
    Int p, q;
    PlainInt e;
  };
  Parts parts() const { return {p_, q_, e_}; }

 private:
  // Lowest terms with a positive denominator, or RationalOverflow.
  static Rational reduced(WideInt p, WideInt q, PlainInt e);
  // Those that depend on symbols may be equal at some instances.
  static bool same_despite_exponents(const Rational& a, const Rational& b);

  Int p_ = 0;
  Int q_ = 1;
  PlainInt e_ = 0;
};

// "3", "-1/2": exact, however long.
std::string to_string(const Rational& value);

// The first convergent of the continued fraction of `value` that is accepted, of those with
// denominators up to the bound: of all fractions p/q within 1/(2 q^2) of it, the simplest (Hardy
// and Wright, "An introduction to the theory of numbers", theorem 184).
std::optional<Rational> first_convergent(double value, Int max_denominator,
                                         const std::function<bool(double)>& accepts);

struct RationalFromDouble {
  Rational value;
  bool rounded;  // true: the simplest rational was taken instead of the exact binary value (to be
                 // listed)
  bool exact;    // false: neither is a fraction of 64 bits; value is then meaningless
};
// The rational that a constant of a program stands for. NaN and infinities give exact = false.
RationalFromDouble rational_from_double(double constant);

}  // namespace assay
