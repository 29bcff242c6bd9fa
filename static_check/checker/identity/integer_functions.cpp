#include "static_check/checker/identity/integer_functions.h"

#include <algorithm>
#include <cmath>

namespace assay::checker::identity {
namespace {

// Doubles of this size have exact quotients' floors, products and so on.
constexpr double kExact = 0x1p26;

// The function of constants as the reference has it, where no rounding and no wrapping is in it.
std::optional<Number> computed(Algebra& algebra, const Use& use, std::span<const Number> of) {
  const reference::MapFunction function = reference::find_map(use.fn.name);
  if (function == nullptr) return std::nullopt;
  std::vector<double> at;
  for (const Number& x : of) {
    if (!x.is_constant() || !algebra.rational(x).is_integer()) return std::nullopt;
    at.push_back(algebra.rational(x).to_double());
    if (std::abs(at.back()) > kExact) return std::nullopt;
  }
  const double result = function(use.fn, at);
  if (!(std::abs(result) <= kExact) || result != std::floor(result)) return std::nullopt;
  const Rational value(static_cast<PlainInt>(result));
  const Number number = algebra.exact(value, use.type);
  return number.is_constant() ? std::optional(number) : std::nullopt;
}

// Those that a double holds, as which they are read.
bool has_short_limits(const reference::FunctionName& clamp) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  for (size_t i = 0; i < clamp.attributes.size(); ++i)
    if (clamp.text(i) != "none" && !(std::abs(clamp.number(i)) < kMost)) return false;
  return true;
}

}  // namespace

std::optional<Number> flag_function(Algebra& algebra, const Use& use, std::span<const Number> of) {
  const std::string_view name = use.fn.name;
  const auto not_zero = [&](const Number& x) {
    return algebra.is_flag(x) ? x : algebra.negation(algebra.negation(x));
  };
  if (name == "not") return algebra.negation(of[0]);
  if (of.size() != 2) return std::nullopt;
  const Number &x = of[0], &y = of[1];
  if (name == "eq") return algebra.equal(x, y);
  if (name == "ne") return algebra.negation(algebra.equal(x, y));
  if (name == "gt") return algebra.greater(x, y);
  if (name == "lt") return algebra.greater(y, x);
  if (name == "ge") return algebra.negation(algebra.greater(y, x));
  if (name == "le") return algebra.negation(algebra.greater(x, y));
  if (name == "and") return algebra.multiply(not_zero(x), not_zero(y));
  if (name == "or") return algebra.disjunction(not_zero(x), not_zero(y));
  if (name == "xor") {
    const Number a = not_zero(x), b = not_zero(y);
    return algebra.disjunction(algebra.multiply(a, algebra.negation(b)),
                               algebra.multiply(b, algebra.negation(a)));
  }
  return std::nullopt;
}

Number integer_function(Algebra& algebra, const Use& use, std::span<const Number> of) {
  if (auto constant = computed(algebra, use, of)) return *constant;
  if (algebra.selects_constants(of))
    if (const auto known = algebra.member_by_member(of, use.type, [&](std::span<const Number> x) {
          return std::optional(integer_function(algebra, use, x));
        }))
      return *known;
  const std::string_view name = use.fn.name;
  const bool alike = std::all_of(
      of.begin(), of.end(), [&](const Number& x) { return x.type == use.type && x.is_finite(); });
  if (alike && name == "maximum") return algebra.maximum({of.begin(), of.end()});
  if (alike && name == "minimum") return algebra.minimum({of.begin(), of.end()});
  if (alike && name == "relu")
    return algebra.maximum({of[0], algebra.exact(Rational(0), use.type)});
  if (alike && name == "pow" && of.size() == 1) {
    const double exponent = use.fn.number(0);
    if (exponent >= 0 && exponent <= 64 && exponent == std::floor(exponent))
      return algebra.power(of[0], static_cast<PlainInt>(exponent));
  }
  // Limits of an integer that has not wrapped are those of the number that it is.
  if (alike && name == "clamp" && of[0].in_range && has_short_limits(use.fn)) {
    const Number number = algebra.cast(of[0], kReal);
    return algebra.as_integer(map(algebra, {use.text, use.fn, kReal}, {&number, 1}), use.type);
  }
  if (alike && name == "bitwise_and" && of[1].value.r < of[0].value.r) {  // in any order
    const Number turned[] = {of[1], of[0]};
    return algebra.unknown("map " + use.text, turned, use.type);
  }
  return algebra.unknown("map " + use.text, of, use.type);
}

}  // namespace assay::checker::identity
