#include "shared_ir/rational.h"

#include <cmath>
#include <limits>

#include "shared_ir/error.h"

namespace assay {
namespace {

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
  WideInt p = 1, q = 0, previous_p = 0, previous_q = 1;
  for (int step = 0; step < 64; ++step) {
    const double whole = std::floor(rest);
    if (std::abs(whole) > 0x1p62) return false;
    const WideInt digit = static_cast<int64_t>(whole);
    const WideInt next_p = digit * p + previous_p;
    const WideInt next_q = digit * q + previous_q;
    if (next_q > max_denominator || next_p > (WideInt{1} << 62) || next_p < -(WideInt{1} << 62)) {
      return false;
    }
    previous_p = p;
    previous_q = q;
    p = next_p;
    q = next_q;
    if (rounds_back(static_cast<double>(static_cast<int64_t>(p)) /
                    static_cast<double>(static_cast<int64_t>(q)))) {
      *result = Rational(static_cast<int64_t>(p), static_cast<int64_t>(q));
      return true;
    }
    if (rest == whole) return false;
    rest = 1 / (rest - whole);
  }
  return false;
}

}  // namespace

// The smallest int64 is left out, so that negation cannot overflow.
Rational Rational::reduced(WideInt p, WideInt q) {
  const WideInt divisor = common_divisor(p, q);
  if (!is_unit(divisor)) {
    p /= divisor;
    q /= divisor;
  }
  if (q < 0) {  // last: the sign of a divisor over symbols may be any
    p = -p;
    q = -q;
  }
  constexpr WideInt kLimit = std::numeric_limits<int64_t>::max();
  if (p > kLimit || p < -kLimit || q > kLimit) throw RationalOverflow{};
  Rational result;
  result.p_ = static_cast<int64_t>(p);
  result.q_ = static_cast<int64_t>(q);
  return result;
}

Rational::Rational(int64_t numerator, int64_t denominator) {
  ASSAY_CHECK(denominator != 0, "a rational has no denominator 0");
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  if (denominator > 0 && numerator != kSmallest &&
      is_unit(common_divisor(numerator, denominator))) {
    p_ = numerator;
    q_ = denominator;
  } else {
    *this = reduced(numerator, denominator);
  }
}

Rational Rational::operator-() const { return reduced(-WideInt{p_}, q_); }

Rational operator+(const Rational& a, const Rational& b) {
  return Rational::reduced(WideInt{a.p_} * b.q_ + WideInt{b.p_} * a.q_, WideInt{a.q_} * b.q_);
}

Rational operator-(const Rational& a, const Rational& b) {
  return Rational::reduced(WideInt{a.p_} * b.q_ - WideInt{b.p_} * a.q_, WideInt{a.q_} * b.q_);
}

Rational operator*(const Rational& a, const Rational& b) {
  return Rational::reduced(WideInt{a.p_} * b.p_, WideInt{a.q_} * b.q_);
}

Rational operator/(const Rational& a, const Rational& b) {
  ASSAY_CHECK(b.p_ != 0, "division of rationals by zero");
  return Rational::reduced(WideInt{a.p_} * b.q_, WideInt{a.q_} * b.p_);
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
