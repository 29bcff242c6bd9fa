#include "static_check/identity/factors/factors.h"

#include <algorithm>
#include <cstdlib>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostCompared = 256, kMostExponentials = size_t{1} << 13;
constexpr int64_t kLargestPower = 64;
constexpr int kDeepest = 64;  // products of products

// a * b^power; nullopt where it is too long.
std::optional<Product> combined(const Product& a, const Product& b, const Rational& power) {
  Product result = a;
  try {
    if (power == Rational(1))
      result.constant = a.constant * b.constant;
    else if (power == Rational(-1))
      result.constant = a.constant / b.constant;
    else if (!b.constant.is_one())
      return std::nullopt;
    result.exponent = a.exponent + residue_of(power) * b.exponent;
    for (const auto& [value, times] : b.powers) {
      const auto at =
          std::ranges::lower_bound(result.powers, value, {}, &std::pair<uint64_t, Rational>::first);
      if (at == result.powers.end() || at->first != value) {
        result.powers.insert(at, {value, power * times});
        continue;
      }
      at->second = at->second + power * times;
      if (!at->second.fits(kLargestPower)) return std::nullopt;
      if (at->second.is_zero()) result.powers.erase(at);
    }
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

Factors::Factors(const Algebra& algebra) : algebra_(algebra) {
  static const Sieve fractions = [] {
    Sieve all;
    for (const auto& [residue, fraction] : small_fractions()) all.add(residue);
    return all;
  }();
  known_ = fractions;
}

void Factors::learn_exponential(uint64_t number, const Residue& argument) {
  if (exponentials_.size() >= kMostExponentials) return;
  exponentials_.try_emplace(number, argument);
  known_.add(number);
}

void Factors::learn_positive(const Residue& number) {
  if (positive_.size() >= 2 * kMostExponentials || number.value == 0) return;
  if (!positive_.try_emplace(number.value, Power{number, 1}).second) return;
  const uint64_t square = kValues.multiply(number.value, number.value);
  positive_.try_emplace(square, Power{number, 2});
  known_.add(number.value);
  known_.add(square);
}

void Factors::learn_product(uint64_t number, const Residue& a, const Residue& b) {
  if (parts_.size() < 2 * kMostExponentials) parts_.try_emplace(number, a, b);
}

void Factors::learn_term(uint64_t number, const Residue& term) {
  if (terms_.size() >= 2 * kMostExponentials) return;
  const auto deeper = terms_.find(term.value);  // the first of all
  terms_.try_emplace(number, deeper == terms_.end() ? term : deeper->second);
}

// c (a + b) of a + b: the factor is the quotient of the first terms.
std::optional<Product> Factors::by_terms(uint64_t value, int depth) {
  const auto own = terms_.find(value);
  if (own == terms_.end() || depth >= kDeepest) return std::nullopt;
  for (const Seen& seen : seen_) {
    if (!seen.term || kValues.multiply(value, seen.term->value) !=
                          kValues.multiply(seen.value, own->second.value))
      continue;
    const Product result = products_.at(seen.value);
    const Residue above = own->second, below = *seen.term;
    const auto with = combined(result, decomposed(above, false, kDeepest), Rational(1));
    if (!with) return std::nullopt;
    return combined(*with, decomposed(below, false, kDeepest), Rational(-1));
  }
  return std::nullopt;
}

void Factors::learn_power(uint64_t number, const Residue& of, const Rational& exponent) {
  if (number != of.value && powers_.size() < kMostExponentials)
    powers_.try_emplace(number, of, exponent);
}

// As it was computed.
std::optional<Product> Factors::by_parts(uint64_t value, int depth) {
  if (const auto power = powers_.find(value); power != powers_.end() && depth < kDeepest) {
    const auto [of, exponent] = power->second;
    return combined({}, decomposed(of, false, depth + 1), exponent);
  }
  const auto found = parts_.find(value);
  if (found == parts_.end() || depth >= kDeepest) return std::nullopt;
  const auto [a, b] = found->second;
  if (a.value == value || b.value == value) return std::nullopt;
  const Product first = decomposed(a, false, depth + 1);
  return combined(first, decomposed(b, false, depth + 1), Rational(1));
}

std::optional<Product> Factors::known(uint64_t value) {
  if (const auto found = products_.find(value); found != products_.end()) return found->second;
  if (const auto found = exponentials_.find(value); found != exponentials_.end())
    return Product{1, found->second};
  if (const auto found = small_fractions().find(value); found != small_fractions().end())
    return Product{found->second};
  const auto scale = algebra_.scale_with(value);
  return scale ? std::optional(Product{*scale}) : std::nullopt;
}

// As what it is of another one. What is positive is looked for to be one of its factors, but not to
// be one of these.
std::optional<Product> Factors::by_another(uint64_t value, int depth) {
  const uint64_t inverse = kValues.inverse(value);
  const auto of = [&](uint64_t rest) -> std::optional<Product> {
    if (!known_.may_hold(rest)) return std::nullopt;
    if (const auto found = known(rest)) return found;
    const auto positive = positive_.find(rest);
    if (positive == positive_.end() || depth > 0) return std::nullopt;
    const auto [base, exponent] = positive->second;
    if (base.value == value) return std::nullopt;
    return combined({}, decomposed(base, false, kDeepest), Rational(exponent));
  };
  for (size_t i = 0; i < seen_.size(); ++i) {
    const Seen seen = seen_[i];
    if (const auto rest = of(kValues.multiply(value, seen.inverse)))
      return combined(*rest, products_.at(seen.value), Rational(1));
    if (const auto rest = of(kValues.multiply(value, seen.value)))
      return combined(*rest, products_.at(seen.value), Rational(-1));
    if (const auto rest = of(kValues.multiply(seen.value, inverse)))
      return combined(products_.at(seen.value), *rest, Rational(-1));
  }
  return std::nullopt;
}

// A constant times one that is known, or of it. For numbers beyond those that all are compared
// with.
std::optional<Product> Factors::by_constant(uint64_t value) {
  const auto times = [&](uint64_t constant) -> const Product* {
    const uint64_t number = kValues.multiply(value, constant);
    if (!known_.may_hold(number)) return nullptr;
    const auto other = products_.find(number);
    return other == products_.end() ? nullptr : &other->second;
  };
  for (const auto& [residue, fraction] : small_fractions())
    if (const Product* other = times(residue))
      return combined({Rational(1) / fraction}, *other, Rational(1));
  for (const Scales::Constant& constant : algebra_.scales().first()) {
    if (const Product* other = times(constant.value))
      return combined({Rational(1) / constant.is}, *other, Rational(1));
    if (const Product* other = times(constant.inverse))
      return combined({constant.is}, *other, Rational(1));
  }
  return std::nullopt;
}

// Of which a small power is known.
std::optional<Product> Factors::root_of_known(uint64_t value) {
  uint64_t power = value;
  for (int64_t times = 2; times <= 4; ++times) {
    power = kValues.multiply(power, value);
    if (const auto found = products_.find(power); found != products_.end())
      return combined({}, found->second, Rational(1, times));
  }
  return std::nullopt;
}

void Factors::see(uint64_t value) {
  if (seen_.size() >= kMostCompared) return;
  const auto term = terms_.find(value);
  seen_.push_back({value, kValues.inverse(value),
                   term == terms_.end() ? std::nullopt : std::optional(term->second)});
}

const Product& Factors::add_factor(const Residue& number) {
  const uint64_t value = number.value;
  factors_.emplace(value, number);
  known_.add(value);
  if (value == 0) return products_.try_emplace(value, Product{1, {}, {{value, 1}}}).first->second;
  uint64_t power = 1;
  for (int64_t times = 1; times <= 4; ++times) {
    power = kValues.multiply(power, value);
    products_.try_emplace(power, Product{1, {}, {{value, times}}});
    known_.add(power);
  }
  see(value);
  return products_.at(value);
}

const Product& Factors::decomposed(const Residue& number, bool fractional_powers, int depth) {
  const uint64_t value = number.value;
  if (const auto found = products_.find(value); found != products_.end()) return found->second;
  std::optional<Product> product = known(value);
  if (!product && value != 0) product = by_parts(value, depth);
  if (!product && value != 0) product = by_another(value, depth);
  if (!product && value != 0) product = by_terms(value, depth);
  if (!product && value != 0 && seen_.size() >= kMostCompared) product = by_constant(value);
  if (!product && fractional_powers) product = root_of_known(value);
  if (!product) return add_factor(number);
  if (!product->powers.empty()) see(value);
  known_.add(value);
  return products_.insert_or_assign(value, std::move(*product)).first->second;
}

}  // namespace assay::identity
