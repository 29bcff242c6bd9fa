// Constants of programs: what the numbers that are written down are of.
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "shared_ir/decimal.h"
#include "static_check/identity/functions.h"

namespace assay::identity {
namespace {

// Irrational numbers that programs write down, by square roots of rationals and of pi.
struct Irrational {
  double value;
  const char* text;
  int64_t numerator, denominator;  // of the rational whose square root is a factor
  int pi;                          // twice the exponent of pi
};

constexpr double kPi = std::numbers::pi;
const Irrational kOfPi[] = {
    {kPi, "pi", 1, 1, 2},
    {2 * kPi, "2 pi", 4, 1, 2},
    {1 / kPi, "1/pi", 1, 1, -2},
    {std::sqrt(2 / kPi), "sqrt(2/pi)", 2, 1, -1},
    {2 * std::sqrt(2 / kPi), "sqrt(8/pi)", 8, 1, -1},
    {2 / std::sqrt(kPi), "2/sqrt(pi)", 4, 1, -1},
    {1 / std::sqrt(2 * kPi), "1/sqrt(2 pi)", 1, 2, -1},
    {1 / std::sqrt(kPi), "1/sqrt(pi)", 1, 1, -1},
};

// Denominators of constants that are meant as fractions (rational_from_double).
constexpr int64_t kSimple = int64_t{1} << 16;

bool is_simple(const Rational& value) {
  const auto [p, q, e] = value.parts();
  return q != 1 ? q <= kSimple : std::abs(p) < (int64_t{1} << 24) && std::abs(e) <= 64;
}

// But for the last bits of a computation.
bool is_close(double a, double b) {
  return std::abs(a - b) <= std::numeric_limits<double>::epsilon() * b;
}

// The rational with small terms whose root of that degree (2 or 4, as of both factors of a product
// that is scaled by a square root) the constant is, if it is the nearest double (or, of smaller
// ones, the nearest float).
std::optional<Rational> power_of(double value, int degree) {
  const bool single = static_cast<double>(static_cast<float>(value)) == value;
  const int64_t most = single ? (degree == 2 ? 64 : 16) : (degree == 2 ? 4096 : 256);
  const double power = std::pow(value, degree);
  const auto simple = first_convergent(power, most, [&](double candidate) {
    const double root = std::pow(candidate, 1.0 / degree);
    return single ? static_cast<float>(root) == static_cast<float>(value) : is_close(root, value);
  });
  if (simple && simple->fits(most)) return simple;
  const auto decimal = degree == 2 ? computed_fraction(power) : std::nullopt;
  constexpr double kFewUnits = 4 * std::numeric_limits<double>::epsilon();
  return decimal && std::abs(std::sqrt(decimal->to_double()) - value) <= kFewUnits * value
             ? decimal
             : std::nullopt;
}

bool is_near(double a, double b) {
  if (is_written_out(a, b)) return true;
  return static_cast<double>(static_cast<float>(a)) == a
             ? static_cast<float>(b) == static_cast<float>(a)
             : std::abs(a - b) <= std::numeric_limits<double>::epsilon() * b;
}

// The integer whose logarithm it is, but for its last bits.
std::optional<int64_t> logarithm_of(double value) {
  constexpr double kLargest = 1e6;
  const double integer = std::nearbyint(std::exp(value));
  const bool is_log = integer >= 3 && integer <= kLargest && is_close(std::log(integer), value);
  return is_log ? std::optional(static_cast<int64_t>(integer)) : std::nullopt;
}

}  // namespace

std::optional<Number> Functions::written(double value) {
  auto decimal = short_decimal(value);
  if (!decimal) decimal = computed_fraction(value);
  if (!decimal) return std::nullopt;
  if (decimal->to_double() != value)
    readings_.insert(fmt::format("{} is read as {}", value, decimal->to_double()));
  return algebra_.constant(*decimal);
}

Number Functions::decimal(double value, const Number& otherwise) {
  return written(value).value_or(otherwise);
}

bool Functions::is_read(double value) {
  const RationalFromDouble exact = rational_from_double(value);
  return exact.exact ? read(exact.value).has_value() : written(value).has_value();
}

std::optional<Number> Functions::of_host(double value) {
  if (host_ == nullptr) return std::nullopt;
  const auto found = host_->find(std::abs(value));
  if (found == host_->end()) return std::nullopt;
  const auto [kind, first, second] = found->second;
  const auto number_of = [&](double x) { return number(x); };
  Number result;
  std::string text;
  switch (kind) {
    case HostConstant::Kind::kRoot:
      result = algebra_.power(number_of(first), Rational(1, 2));
      text = fmt::format("sqrt({})", first);
      break;
    case HostConstant::Kind::kPower:
      result = algebra_.power(number_of(first), Rational(static_cast<int64_t>(second)));
      text = fmt::format("{} ^ {}", first, second);
      break;
    case HostConstant::Kind::kProduct:
      result = algebra_.multiply(number_of(first), number_of(second));
      text = fmt::format("{} * {}", first, second);
      break;
    case HostConstant::Kind::kQuotient:
      result = algebra_.multiply(number_of(first), algebra_.reciprocal(number_of(second)));
      text = fmt::format("{} / {}", first, second);
      break;
  }
  readings_.insert(fmt::format("{} is read as {}", std::abs(value), text));
  return value < 0 ? algebra_.negative(result) : result;
}

Number Functions::literal(const Rational& value) {
  if (auto known = read(value)) return *std::move(known);
  if (auto known = of_host(value.to_double())) return *std::move(known);
  const auto [p, q, e] = value.parts();
  if (q != 1 && std::abs(p) == 1)  // what was divided by
    if (const auto divisor = of_host((Rational(1) / value).to_double()))
      return algebra_.reciprocal(*divisor);
  return algebra_.constant(value);
}

std::optional<Number> Functions::read(const Rational& value) {
  const double number = value.to_double(), magnitude = std::abs(number);
  if (is_simple(value)) {
    const bool is_binary_fraction = value.parts().q == 1 && value.parts().e < 0;
    return is_binary_fraction ? decimal(number, algebra_.constant(value))
                              : algebra_.constant(value);
  }
  const auto read = [&](const std::string& text, const Number& as) {
    readings_.insert(fmt::format("{} is read as {}", magnitude, text));
    return number < 0 ? algebra_.negative(as) : as;
  };
  for (const int degree : {2, 4})
    if (const auto power = power_of(magnitude, degree))
      return read(degree == 2 ? "sqrt(" + to_string(*power) + ")" : to_string(*power) + " ^ (1/4)",
                  algebra_.power(algebra_.constant(*power), Rational(1, degree)));
  for (const Irrational& known : kOfPi) {
    if (!is_near(magnitude, known.value)) continue;
    const Number pi = algebra_.random("sqrt(pi)", {});
    return read(known.text,
                algebra_.multiply(
                    algebra_.power(algebra_.constant(Rational(known.numerator, known.denominator)),
                                   Rational(1, 2)),
                    algebra_.power(pi, known.pi)));
  }
  if (is_near(magnitude, std::numbers::ln2))
    return read("log 2", algebra_.settled(algebra_.logarithm(algebra_.constant(2))));
  if (is_near(magnitude, std::numbers::ln10))
    return read("log 10", algebra_.settled(algebra_.logarithm(algebra_.constant(10))));
  if (is_near(magnitude, std::numbers::log10e))
    return read("1/log 10",
                algebra_.reciprocal(algebra_.settled(algebra_.logarithm(algebra_.constant(10)))));
  if (is_near(magnitude, std::numbers::log2e))
    return read("1/log 2",
                algebra_.reciprocal(algebra_.settled(algebra_.logarithm(algebra_.constant(2)))));
  if (const auto of = logarithm_of(magnitude))
    return read(fmt::format("log {}", *of), algebra_.logarithm(algebra_.constant(*of)));
  // Of normal distributions and others: multiples of log(2 pi) / 2 and of log(pi) / 2.
  for (const int64_t pis : {2, 1})
    for (const int64_t halves : {1, 2, 3, 4}) {
      const double log = std::log(static_cast<double>(pis) * kPi);
      if (!is_near(magnitude, static_cast<double>(halves) * log / 2)) continue;
      const Number of = algebra_.scaled(algebra_.power(algebra_.random("sqrt(pi)", {}), 2), pis);
      return read(fmt::format("{} log({}pi) / 2", halves, pis == 1 ? "" : "2 "),
                  algebra_.scaled(algebra_.logarithm(of), Rational(halves, 2)));
    }
  return written(number);
}

Number Functions::number(double value) {
  if (std::isnan(value)) return Algebra::undefined();
  if (std::isinf(value)) return Algebra::infinity(value < 0);
  const RationalFromDouble exact = rational_from_double(value);
  if (exact.exact) return literal(exact.value);
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  if (auto known = of_host(value)) return *std::move(known);
  return decimal(value, {residue_of(static_cast<int64_t>(std::ldexp(mantissa, 53))) *
                         raised({2, 2}, exponent - 53)});
}

}  // namespace assay::identity
