#include "shared_ir/symbolic/polynomial.h"

#include <algorithm>
#include <iterator>

namespace symbolic {
namespace {

void add(Polynomial& polynomial, const Monomial& monomial, Wide coefficient) {
  if (coefficient == 0) return;
  const auto [at, added] = polynomial.emplace(monomial, coefficient);
  if (added) return;
  at->second = plus(at->second, coefficient);
  if (at->second == 0) polynomial.erase(at);
}

// By degree, then by variables: the order of division.
bool leads(const Monomial& a, const Monomial& b) {
  return a.size() != b.size() ? a.size() > b.size() : a < b;
}

std::optional<Monomial> over(const Monomial& a, const Monomial& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return std::nullopt;
  Monomial result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace

Wide plus(Wide a, Wide b) {
  Wide result;
  if (__builtin_add_overflow(a, b, &result)) throw Overflow{};
  return result;
}

Wide times(Wide a, Wide b) {
  Wide result;
  if (__builtin_mul_overflow(a, b, &result)) throw Overflow{};
  return result;
}

bool fits(Wide value) { return INT64_MIN <= value && value <= INT64_MAX; }

std::string decimal(Wide value) {
  if (fits(value)) return std::to_string(static_cast<int64_t>(value));
  constexpr Wide kPart = 1'000'000'000'000'000'000;
  std::string low = std::to_string(static_cast<int64_t>(value % kPart));
  if (value < 0) low.erase(0, 1);
  return decimal(value / kPart) + std::string(18 - low.size(), '0') + low;
}

Polynomial constant(Wide value) {
  Polynomial result;
  add(result, {}, value);
  return result;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, Wide factor_of_b) {
  Polynomial result = a;
  for (const auto& [monomial, coefficient] : b)
    add(result, monomial, times(coefficient, factor_of_b));
  return result;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) {
      Monomial both;
      std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
      add(result, both, times(p, q));
    }
  }
  return result;
}

std::pair<Polynomial, Polynomial> divide(const Polynomial& a, const Polynomial& b) {
  const auto leading = std::min_element(
      b.begin(), b.end(), [](const auto& x, const auto& y) { return leads(x.first, y.first); });
  Polynomial quotient, rest, pending = a;
  while (!pending.empty()) {
    const auto term =
        std::min_element(pending.begin(), pending.end(),
                         [](const auto& x, const auto& y) { return leads(x.first, y.first); });
    const auto monomial = over(term->first, leading->first);
    // Floor, so that the rest of a constant divisor is not negative.
    Wide factor = monomial ? term->second / leading->second : 0;
    if (monomial && term->second % leading->second != 0 &&
        (term->second < 0) != (leading->second < 0))
      --factor;
    if (factor == 0) {
      rest.insert(pending.extract(term));
      continue;
    }
    const Wide left = plus(term->second, -times(factor, leading->second));
    add(quotient, *monomial, factor);
    const Monomial from = term->first;
    pending = sum(pending, product({{*monomial, factor}}, b), -1);
    if (left != 0) {
      pending.erase(from);
      add(rest, from, left);
    }
  }
  return {std::move(quotient), std::move(rest)};
}

std::optional<Wide> number_of(const Polynomial& polynomial) {
  if (polynomial.empty()) return Wide{0};
  if (polynomial.size() == 1 && polynomial.begin()->first.empty())
    return polynomial.begin()->second;
  return std::nullopt;
}

Wide content(const Polynomial& polynomial) {
  Wide result = 0;
  for (const auto& [monomial, coefficient] : polynomial) {
    Wide divisor = coefficient < 0 ? -coefficient : coefficient;
    while (divisor != 0) result = std::exchange(divisor, result % divisor);
  }
  return result;
}

}  // namespace symbolic
