#include "shared_ir/symbolic/replay.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace symbolic {
namespace {

thread_local Replay* current_replay = nullptr;

// So far from 0 that what the symbols add to it does not matter: such constants stand for infinity
// or for a bound beyond any size. That what depends on the symbols stays below it is an assumption,
// which the report lists.
constexpr Wide kFar = Wide{1} << 58;

Wide size_of(Wide value) { return value < 0 ? -value : value; }

}  // namespace

Replay::Replay() : outer_(current_replay), polynomials_(1), values_(1) { current_replay = this; }
Replay::~Replay() { current_replay = outer_; }

Replay& Replay::current() {
  if (current_replay == nullptr) throw std::logic_error("a symbolic number outside of a replay");
  return *current_replay;
}

Number Replay::symbol(const std::string& name, int64_t value, int64_t divisor) {
  if (value % divisor != 0) throw std::logic_error(name + " is no multiple of its divisor");
  const auto variable = static_cast<Variable>(variables_.size());
  variables_.push_back({divisor == 1 ? name : "(" + name + " // " + std::to_string(divisor) + ")",
                        name,
                        divisor,
                        value / divisor,
                        {},
                        {}});
  return number({{{variable}, divisor}});
}

void Replay::assume_nonnegative(const Number& number) {
  // What bounds one variable; the rest is for a solver.
  Wide offset = 0, factor = 0;
  Variable variable = 0;
  for (const auto& [monomial, coefficient] : polynomial_of(number)) {
    if (monomial.empty()) {
      offset = coefficient;
    } else if (monomial.size() == 1 && factor == 0) {
      variable = monomial[0];
      factor = coefficient;
    } else {
      return;
    }
  }
  if (factor == 0) return;
  VariableFacts& facts = variables_[static_cast<size_t>(variable)];
  if (factor > 0) {  // variable >= -offset / factor, rounded up
    const Wide low = offset >= 0 ? -(offset / factor) : (-offset + factor - 1) / factor;
    facts.low = std::max(facts.low.value_or(low), low);
  } else if (offset >= 0) {  // variable <= offset / -factor, rounded down
    const Wide high = offset / -factor;
    facts.high = std::min(facts.high.value_or(high), high);
  }
}

Polynomial Replay::polynomial_of(const Number& number) const {
  return number.is_constant() ? constant(number.value()) : polynomial(number.polynomial());
}

Wide Replay::value_of(const Polynomial& polynomial) const {
  Wide value = 0;
  for (const auto& [monomial, coefficient] : polynomial) {
    Wide term = coefficient;
    for (const Variable variable : monomial)
      term = times(term, variables_[static_cast<size_t>(variable)].value);
    value = plus(value, term);
  }
  return value;
}

Wide Replay::value_of(const Number& number) const {
  return number.is_constant() ? number.value() : values_[static_cast<size_t>(number.polynomial())];
}

std::optional<Wide> Replay::number_of(const Number& number) const {
  return symbolic::number_of(polynomial_of(number));
}

PolynomialId Replay::intern(const Polynomial& polynomial) {
  const auto [at, added] = ids_.emplace(polynomial, static_cast<PolynomialId>(polynomials_.size()));
  if (added) {
    values_.push_back(value_of(polynomial));
    polynomials_.push_back(polynomial);
  }
  return at->second;
}

Number Replay::number(const Polynomial& polynomial) {
  const auto constant = symbolic::number_of(polynomial);
  if (constant && fits(*constant)) return Number(static_cast<int64_t>(*constant));
  const PolynomialId id = intern(polynomial);
  const Wide value = values_[static_cast<size_t>(id)];
  return {static_cast<int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX)), id};
}

Number Replay::add(const Number& a, const Number& b, int factor_of_b) {
  return number(sum(polynomial_of(a), polynomial_of(b), factor_of_b));
}

Number Replay::multiply(const Number& a, const Number& b) {
  return number(product(polynomial_of(a), polynomial_of(b)));
}

// a = quotient * b + rest. Integer division rounds towards zero: for a >= 0 the quotient is exact
// where 0 <= rest < b. Division by a number may leave any rest: then the rest's part of the
// quotient is a variable of its own.
Number Replay::divide(const Number& a, const Number& b) {
  const Polynomial x = polynomial_of(a), y = polynomial_of(b);
  const Wide by = value_of(y);
  if (by == 0) throw std::domain_error("division by zero");
  auto [quotient, rest] = symbolic::divide(x, y);
  if (rest.empty()) {
    require(y, Sign::kNonzero);
    return number(quotient);
  }
  if (value_of(x) < 0 || by < 0) return number(constant(Wide{concrete(a)} / Wide{concrete(b)}));
  require(x, Sign::kNonnegative);
  require(y, Sign::kPositive);
  const Wide left = value_of(rest);
  const Wide more = left / by - (left % by < 0 ? 1 : 0);
  if (!symbolic::number_of(y) || symbolic::number_of(rest)) {
    quotient = sum(quotient, constant(more), 1);
    rest = sum(rest, y, -more);
    require(rest, Sign::kNonnegative);
    require(sum(y, rest, -1), Sign::kPositive);
    return number(quotient);
  }
  const auto [known, added] =
      quotients_.emplace(std::pair{rest, y}, static_cast<Variable>(variables_.size()));
  if (added) {
    VariableFacts facts;
    facts.name = "((" + text(rest) + ") // (" + text(y) + "))";
    facts.multiple = facts.name;
    if (!fits(more)) throw Overflow{};
    facts.value = static_cast<int64_t>(more);
    if (follows(rest, Sign::kNonnegative)) facts.low = 0;
    variables_.push_back(std::move(facts));
  }
  return number(sum(quotient, {{{known->second}, 1}}, 1));
}

Number Replay::common_divisor(const Number& a, const Number& b) {
  const Polynomial x = polynomial_of(a), y = polynomial_of(b);
  const auto positive = [&](const Polynomial& divisor) {
    return number(divisor.rbegin()->second < 0 ? sum({}, divisor, -1) : divisor);
  };
  if (x.empty() && y.empty()) return Number(0);
  if (x.empty() || (!y.empty() && symbolic::divide(x, y).second.empty())) return positive(y);
  if (y.empty() || symbolic::divide(y, x).second.empty()) return positive(x);
  Monomial shared = x.begin()->first;
  for (const Polynomial* one : {&x, &y}) {
    for (const auto& [monomial, coefficient] : *one) {
      Monomial both;
      std::set_intersection(shared.begin(), shared.end(), monomial.begin(), monomial.end(),
                            std::back_inserter(both));
      shared = std::move(both);
    }
  }
  return number({{shared, content({{{}, content(x)}, {{0}, content(y)}})}});
}

// v = low + t with t >= 0, or t <= high - low: then each term is at its lowest by itself.
std::optional<Wide> Replay::lowest(const Polynomial& polynomial) const {
  Polynomial shifted;
  for (const auto& [monomial, coefficient] : polynomial) {
    Polynomial term = constant(coefficient);
    for (const Variable variable : monomial) {
      const auto& low = variables_[static_cast<size_t>(variable)].low;
      if (!low) return std::nullopt;
      term = product(term, sum({{{variable}, 1}}, constant(*low), 1));
    }
    shifted = sum(shifted, term, 1);
  }
  Wide result = 0;
  for (const auto& [monomial, coefficient] : shifted) {
    if (coefficient > 0 && !monomial.empty()) continue;
    Wide term = coefficient;
    for (const Variable variable : monomial) {
      const VariableFacts& facts = variables_[static_cast<size_t>(variable)];
      if (!facts.high) return std::nullopt;
      term = times(term, plus(*facts.high, -*facts.low));
    }
    result = plus(result, term);
  }
  return result;
}

bool Replay::follows(const Polynomial& polynomial, Sign sign) const {
  try {
    const auto above = [&](const Polynomial& one, Wide bound) {
      const auto low = lowest(one);
      return low && *low >= bound;
    };
    switch (sign) {
      case Sign::kZero:
        return polynomial.empty();
      case Sign::kPositive:
        return above(polynomial, 1);
      case Sign::kNonnegative:
        return above(polynomial, 0);
      case Sign::kNonzero:
        return above(polynomial, 1) || above(sum({}, polynomial, -1), 1);
    }
  } catch (const Overflow&) {
  }
  return false;
}

// The constant decides, for all that the symbols add.
bool Replay::is_far(const Polynomial& polynomial) const {
  const auto constant = polynomial.find({});
  if (constant == polynomial.end() || size_of(constant->second) < kFar) return false;
  for (const auto& [monomial, coefficient] : polynomial)
    if (!monomial.empty() && size_of(coefficient) >= kFar) throw Overflow{};
  if (size_of(value_of(polynomial) - constant->second) >= kFar) throw Overflow{};
  return true;
}

void Replay::require(Polynomial polynomial, Sign sign) {
  if (!recording_ || symbolic::number_of(polynomial) || is_far(polynomial)) return;
  if (sign == Sign::kZero || sign == Sign::kNonzero) {
    const int64_t divisor = polynomial.rbegin()->second < 0 ? -1 : 1;
    if (divisor < 0) polynomial = sum({}, polynomial, -1);
  }
  const auto [known, added] = required_.emplace(std::pair{polynomial, sign}, true);
  if (!added || follows(polynomial, sign)) return;
  constexpr const char* kTexts[] = {" == 0", " != 0", " > 0", " >= 0"};
  conditions_.push_back({text(polynomial) + kTexts[static_cast<size_t>(sign)], operator_});
}

bool Replay::equal(const Number& a, const Number& b) {
  if (a.polynomial() == b.polynomial() && !a.is_constant()) return true;
  const Polynomial difference = sum(polynomial_of(a), polynomial_of(b), -1);
  const bool answer = value_of(difference) == 0;
  require(difference, answer ? Sign::kZero : Sign::kNonzero);
  return answer;
}

bool Replay::less(const Number& a, const Number& b) {
  if (a.polynomial() == b.polynomial() && !a.is_constant()) return false;
  const Polynomial difference = sum(polynomial_of(b), polynomial_of(a), -1);
  const bool answer = value_of(difference) > 0;
  if (answer)
    require(difference, Sign::kPositive);
  else
    require(sum({}, difference, -1), Sign::kNonnegative);
  return answer;
}

std::strong_ordering Replay::compare(const Number& a, const Number& b) {
  const Wide x = value_of(a), y = value_of(b);
  if (x == y && equal(a, b)) return std::strong_ordering::equal;
  return x < y && less(a, b)   ? std::strong_ordering::less
         : y < x && less(b, a) ? std::strong_ordering::greater
                               : std::strong_ordering::equal;
}

int64_t Replay::concrete(const Number& number) {
  const Wide value = value_of(number);
  if (!fits(value)) throw Overflow{};
  equal(number, Number(static_cast<int64_t>(value)));
  return static_cast<int64_t>(value);
}

std::string Replay::text(Monomial monomial, Wide coefficient) const {
  // Where the coefficient allows it, symbols instead of their parts.
  std::string factors;
  for (const Variable variable : monomial) {
    const VariableFacts& facts = variables_[static_cast<size_t>(variable)];
    const bool whole = coefficient % facts.divisor == 0;
    if (whole) coefficient /= facts.divisor;
    factors += (factors.empty() ? "" : "*") + (whole ? facts.multiple : facts.name);
  }
  if (factors.empty()) return decimal(coefficient);
  if (coefficient == 1) return factors;
  return (coefficient == -1 ? "-" : decimal(coefficient) + "*") + factors;
}

std::string Replay::text(const Polynomial& polynomial) const {
  std::string result;
  for (auto term = polynomial.rbegin(); term != polynomial.rend(); ++term) {
    const bool negative = term->second < 0;
    if (!result.empty()) result += negative ? " - " : " + ";
    result += text(term->first, negative && !result.empty() ? -term->second : term->second);
  }
  return result.empty() ? "0" : result;
}

std::string Replay::text(const Number& number) {
  if (number.is_constant()) return std::to_string(number.value());
  std::string result = text(polynomial(number.polynomial()));
  printed_.emplace(result, number);
  return result;
}

std::optional<Number> Replay::parse(const std::string& text) const {
  const auto found = printed_.find(text);
  return found == printed_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace symbolic
