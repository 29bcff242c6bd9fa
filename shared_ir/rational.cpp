#include "shared_ir/rational.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "shared_ir/error.h"

namespace assay {
namespace {

__extension__ using Wide = __int128;

Wide wide_gcd(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Lowest terms with a positive denominator, or RationalOverflow. The smallest int64 is left out, so
// that negation cannot overflow.
Rational reduced(Wide p, Wide q) {
  if (q < 0) {
    p = -p;
    q = -q;
  }
  const Wide divisor = wide_gcd(p, q);
  if (divisor > 1) {
    p /= divisor;
    q /= divisor;
  }
  constexpr Wide kLimit = std::numeric_limits<int64_t>::max();
  if (p > kLimit || p < -kLimit || q > kLimit) throw RationalOverflow{};
  return {static_cast<int64_t>(p), static_cast<int64_t>(q)};
}

bool is_power_of_two(int64_t value) { return (value & (value - 1)) == 0; }

// The simplest fraction (a convergent of the continued fraction) that rounds to `constant`: in
// double, or in float for a constant that a float32 program wrote. Two fractions with denominators
// up to the bound differ by more than one rounding step at 1, so there is no choice between
// several.
bool simplest(double constant, Rational* result) {
  const bool is_float = static_cast<double>(static_cast<float>(constant)) == constant;
  const int64_t max_denominator = int64_t{1} << (is_float ? 12 : 16);
  const auto rounds_back = [&](double candidate) {
    return candidate == constant ||
           (is_float && static_cast<float>(candidate) == static_cast<float>(constant));
  };
  double rest = constant;
  Wide p = 1, q = 0, previous_p = 0, previous_q = 1;
  for (int step = 0; step < 64; ++step) {
    const double whole = std::floor(rest);
    if (std::abs(whole) > 0x1p62) return false;
    const Wide digit = static_cast<int64_t>(whole);
    const Wide next_p = digit * p + previous_p;
    const Wide next_q = digit * q + previous_q;
    if (next_q > max_denominator || next_p > (Wide{1} << 62) || next_p < -(Wide{1} << 62)) {
      return false;
    }
    previous_p = p;
    previous_q = q;
    p = next_p;
    q = next_q;
    if (rounds_back(static_cast<double>(static_cast<int64_t>(p)) /
                    static_cast<double>(static_cast<int64_t>(q)))) {
      *result = reduced(p, q);
      return true;
    }
    if (rest == whole) return false;
    rest = 1 / (rest - whole);
  }
  return false;
}

}  // namespace

Rational::Rational(int64_t numerator, int64_t denominator) {
  ASSAY_CHECK(denominator != 0, "a rational has no denominator 0");
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  if (denominator > 0 && numerator != kSmallest && std::gcd(numerator, denominator) == 1) {
    p_ = numerator;
    q_ = denominator;
  } else {
    *this = reduced(numerator, denominator);
  }
}

Rational Rational::operator-() const { return reduced(-Wide{p_}, q_); }

Rational operator+(const Rational& a, const Rational& b) {
  return reduced(Wide{a.p_} * b.q_ + Wide{b.p_} * a.q_, Wide{a.q_} * b.q_);
}

Rational operator-(const Rational& a, const Rational& b) {
  return reduced(Wide{a.p_} * b.q_ - Wide{b.p_} * a.q_, Wide{a.q_} * b.q_);
}

Rational operator*(const Rational& a, const Rational& b) {
  return reduced(Wide{a.p_} * b.p_, Wide{a.q_} * b.q_);
}

Rational operator/(const Rational& a, const Rational& b) {
  ASSAY_CHECK(b.p_ != 0, "division of rationals by zero");
  return reduced(Wide{a.p_} * b.q_, Wide{a.q_} * b.p_);
}

std::string to_string(const Rational& value) {
  std::string text = std::to_string(value.numerator());
  if (value.denominator() != 1) text += "/" + std::to_string(value.denominator());
  return text;
}

RationalFromDouble rational_from_double(double constant) {
  if (!std::isfinite(constant)) return {.value = 0, .rounded = false, .exact = false};
  Rational value;
  if (simplest(constant, &value)) {
    return {.value = value,
            .rounded = !is_power_of_two(value.denominator()) || value.to_double() != constant,
            .exact = true};
  }
  // mantissa * 2^exponent with an integer mantissa.
  int exponent = 0;
  double mantissa = std::frexp(constant, &exponent);
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    --exponent;
  }
  if (exponent > 62 || exponent < -62) return {.value = 0, .rounded = false, .exact = false};
  try {
    const Rational power = Rational(int64_t{1} << std::abs(exponent));
    const Rational whole = Rational(static_cast<int64_t>(mantissa));
    return {
        .value = exponent >= 0 ? whole * power : whole / power, .rounded = false, .exact = true};
  } catch (const RationalOverflow&) {
    return {.value = 0, .rounded = false, .exact = false};
  }
}

}  // namespace assay
