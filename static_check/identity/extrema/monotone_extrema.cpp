// The greatest and the least of exponentials and of roots, constants among them: the exponential,
// or the root, of the greatest or the least of what they are of. exp(min(x, log 100)) is min(exp x,
// 100), and sqrt(max(x, 1/4)) is max(sqrt x, 1/2).
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {

std::optional<Number> Algebra::extremum_of_monotone(std::span<const Number> of, bool greatest) {
  const auto is_constant = [&](const Number& x) { return constant_of(x) != nullptr; };
  if (cases_ != nullptr || of.size() < 2 || std::ranges::all_of(of, is_constant))
    return std::nullopt;
  const auto extremum = [&](std::vector<Number> numbers) {
    if (!greatest)
      for (Number& number : numbers) number = negative(number);
    const Number result = maximum_as_set(numbers);
    return greatest ? result : negative(result);
  };
  if (const auto exponents = exponents_beside_constants(of)) {
    const auto first = static_cast<size_t>(std::ranges::find_if_not(of, is_constant) - of.begin());
    return multiply(of[first], exponential(subtract(extremum(*exponents), (*exponents)[first])));
  }
  if (auto squares = squares_of_roots(of)) return power(extremum(std::move(*squares)), {1, 2});
  return std::nullopt;
}

std::optional<std::vector<Number>> Algebra::exponents_beside_constants(
    std::span<const Number> row) {
  std::vector<Number> exponents;
  for (const Number& number : row) {
    if (const Rational* known = constant_of(number)) {
      if (!known->is_positive()) return std::nullopt;
      exponents.push_back(settled(logarithm(number)));
      continue;
    }
    if (!number.is_finite() || number.sign != Sign::kPositive) return std::nullopt;
    const Product& product = factors_.of(number.residue, true);
    if (!product.powers.empty() || !product.constant.is_one()) return std::nullopt;
    exponents.push_back({product.exponent});
  }
  return exponents;
}

std::optional<std::vector<Number>> Algebra::squares_of_roots(std::span<const Number> row) {
  std::vector<Number> squares;
  for (const Number& number : row) {
    if (const Rational* known = constant_of(number)) {
      if (known->is_negative()) return std::nullopt;
      squares.push_back(multiply(number, number));
      continue;
    }
    const bool is_root = has(number, Form::Kind::kRoot) && number.form->factor == Residue{1, 1} &&
                         number.form->roots.size() == 1 &&
                         number.form->roots[0].second == Rational(1, 2);
    // Of |x| more is known: it is the greatest of x and -x.
    if (!is_root || magnitudes_.contains(number.residue.value)) return std::nullopt;
    squares.push_back({number.form->roots[0].first});
  }
  return squares;
}

}  // namespace assay::identity
