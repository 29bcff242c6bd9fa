#include "shared_ir/rational.h"

#include <cmath>
#include <limits>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

bool is_power_of_two(Int value) { return (value & (value - 1)) == 0; }

// The simplest fraction that rounds to `constant`: in double, or in float for a constant that a
// float32 program wrote. Two fractions with denominators up to the bound differ by more than one
// rounding step at 1, so there is no choice between several.
std::optional<Rational> simplest(double constant) {
  const bool is_float = static_cast<double>(static_cast<float>(constant)) == constant;
  return first_convergent(constant, Int{1} << (is_float ? 12 : 16), [&](double candidate) {
    return candidate == constant ||
           (is_float && static_cast<float>(candidate) == static_cast<float>(constant));
  });
}

// 2^exponent for 0 <= exponent <= 124, else RationalOverflow.
WideInt power_of_two(PlainInt exponent) {
  if (exponent < 0 || exponent > 124) throw RationalOverflow{};
  const auto half = static_cast<int>(exponent / 2);
  return WideInt{Int{1} << half} * WideInt{Int{1} << (static_cast<int>(exponent) - half)};
}

// x * 2^by, or RationalOverflow where that, and another number of 126 bits, need not fit WideInt.
WideInt scaled(const WideInt& x, PlainInt by) {
  if (by == 0) return x;
  const WideInt limit = power_of_two(124 - by);
  if (x > limit || x < -limit) throw RationalOverflow{};
  return x * power_of_two(by);
}

Int of_64_bits(const WideInt& x) {
  if (x > WideInt{std::numeric_limits<Int>::max()} || x < WideInt{std::numeric_limits<Int>::min()})
    throw RationalOverflow{};
  return static_cast<Int>(x);
}

bool is_zero_everywhere(const Rational& x) { return is_number(x.parts().p) && x.is_zero(); }

// A number's digits times 2^twos; as it is where twos < 0.
std::string doubled(std::string digits, PlainInt twos) {
  for (; twos > 0; --twos) {
    int carry = 0;
    for (size_t i = digits.size(); i-- > 0 && digits[i] != '-';) {
      const int digit = 2 * (digits[i] - '0') + carry;
      digits[i] = static_cast<char>('0' + digit % 10);
      carry = digit / 10;
    }
    if (carry > 0) digits.insert(digits.find_first_not_of('-'), 1, '1');
  }
  return digits;
}

}  // namespace

Rational Rational::reduced(WideInt p, WideInt q, PlainInt e) {
  const WideInt divisor = common_divisor(p, q);
  if (!is_unit(divisor)) {
    p /= divisor;
    q /= divisor;
  }
  if (q < 0) {  // last: the sign of a divisor over symbols may be any
    p = -p;
    q = -q;
  }
  e += take_twos(p) - take_twos(q);
  constexpr WideInt kLimit = std::numeric_limits<Int>::max();
  if (p > kLimit || p < -kLimit || q > kLimit) throw RationalOverflow{};
  Rational result;
  result.p_ = static_cast<Int>(p);
  result.q_ = static_cast<Int>(q);
  if (e != 0 && result.p_ != 0) result.e_ = e;
  if (std::abs(result.e_) > kLargestExponent) throw RationalOverflow{};
  return result;
}

Rational::Rational(Int numerator, Int denominator) {
  ASSAY_CHECK(denominator != 0, "a rational has no denominator 0");
  *this = reduced(numerator, denominator, 0);
}

Int Rational::numerator() const { return e_ > 0 ? of_64_bits(scaled(p_, e_)) : p_; }

Int Rational::denominator() const { return e_ < 0 ? of_64_bits(scaled(q_, -e_)) : q_; }

bool Rational::fits(Int limit) const {
  if (std::abs(e_) > 62) return false;
  const WideInt p = WideInt{p_} * power_of_two(std::max<PlainInt>(e_, 0));
  return p <= limit && -p <= limit &&
         WideInt{q_} * power_of_two(std::max<PlainInt>(-e_, 0)) <= limit;
}

double Rational::to_double() const {
  return std::ldexp(static_cast<double>(p_) / static_cast<double>(q_), static_cast<int>(e_));
}

Rational Rational::operator-() const {
  Rational result = *this;
  result.p_ = -p_;
  return result;
}

Rational operator+(const Rational& a, const Rational& b) {
  if (a.e_ < b.e_) return b + a;
  if (a.e_ > b.e_ && is_zero_everywhere(a)) return b;
  if (a.e_ > b.e_ && is_zero_everywhere(b)) return a;
  return Rational::reduced(scaled(WideInt{a.p_} * b.q_, a.e_ - b.e_) + WideInt{b.p_} * a.q_,
                           WideInt{a.q_} * b.q_, b.e_);
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

Rational operator*(const Rational& a, const Rational& b) {
  return Rational::reduced(WideInt{a.p_} * b.p_, WideInt{a.q_} * b.q_, a.e_ + b.e_);
}

Rational operator/(const Rational& a, const Rational& b) {
  ASSAY_CHECK(!b.is_zero(), "division of rationals by zero");
  return Rational::reduced(WideInt{a.p_} * b.q_, WideInt{a.q_} * b.p_, a.e_ - b.e_);
}

bool Rational::same_despite_exponents(const Rational& a, const Rational& b) {
  const auto is_plain = [](const Rational& x) { return is_number(x.p_) && is_number(x.q_); };
  if (is_plain(a) && is_plain(b)) return false;
  const PlainInt more = a.e_ - b.e_;
  return same_fraction(of_64_bits(scaled(a.p_, std::max<PlainInt>(more, 0))), a.q_,
                       of_64_bits(scaled(b.p_, std::max<PlainInt>(-more, 0))), b.q_);
}

std::string to_string(const Rational& value) {
  const auto [p, q, e] = value.parts();
  std::string text = doubled(decimal(p), e);
  if (q != 1 || e < 0) text += "/" + doubled(decimal(q), -e);
  return text;
}

std::optional<Rational> first_convergent(double value, Int max_denominator,
                                         const std::function<bool(double)>& accepts) {
  double rest = value;
  WideInt p = 1, q = 0, previous_p = 0, previous_q = 1;
  for (int step = 0; step < 64; ++step) {
    const double whole = std::floor(rest);
    if (std::abs(whole) > 0x1p62) return std::nullopt;
    const WideInt digit = static_cast<Int>(whole);
    const WideInt next_p = digit * p + previous_p;
    const WideInt next_q = digit * q + previous_q;
    if (next_q > max_denominator || next_p > (WideInt{1} << 62) || next_p < -(WideInt{1} << 62)) {
      return std::nullopt;
    }
    previous_p = p;
    previous_q = q;
    p = next_p;
    q = next_q;
    if (accepts(static_cast<double>(static_cast<Int>(p)) /
                static_cast<double>(static_cast<Int>(q))))
      return Rational(static_cast<Int>(p), static_cast<Int>(q));
    if (rest == whole) return std::nullopt;
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

RationalFromDouble rational_from_double(double constant) {
  if (!std::isfinite(constant)) return {.value = 0, .rounded = false, .exact = false};
  if (const auto value = simplest(constant)) {
    return {.value = *value,
            .rounded = !is_power_of_two(value->denominator()) || value->to_double() != constant,
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
    const Rational power = Rational(Int{1} << std::abs(exponent));
    const Rational whole = Rational(static_cast<Int>(mantissa));
    const Rational value = exponent >= 0 ? whole * power : whole / power;
    value.numerator();  // throws where it is longer
    return {.value = value, .rounded = false, .exact = true};
  } catch (const RationalOverflow&) {
    return {.value = 0, .rounded = false, .exact = false};
  }
}

}  // namespace assay
