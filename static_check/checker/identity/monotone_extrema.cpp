// Exponentials and square roots keep the order of what they are of, so that the extremum of some of
// them and of constants is the exponential or the root of an extremum.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

std::optional<Number> Algebra::extreme_of_exponentials(const std::vector<Number>& of, bool least) {
  std::vector<Number> exponents;
  const Number *base = nullptr, *exponent = nullptr;
  exponents.reserve(of.size());
  for (const Number& x : of) {
    if (!x.is_finite() || !x.positive || is_integer_type(x.type)) return std::nullopt;
    if (x.is_constant()) {
      exponents.push_back(log(x));
      continue;
    }
    const Word word = spell(x.value, 0);
    if (!word.letters.empty() || !word.constant.is_one()) return std::nullopt;
    exponents.push_back(ordinary(word.exponent));
    base = &x;
    exponent = &exponents.back();
  }
  if (base == nullptr) return std::nullopt;
  const Number extreme = least ? minimum(exponents) : maximum(exponents);
  return multiply(*base, exp(subtract(extreme, *exponent)));
}

std::optional<Number> Algebra::extreme_of_square_roots(const std::vector<Number>& of, bool least) {
  std::vector<Number> squares;
  bool rooted = false;
  for (const Number& x : of) {
    if (x.is_constant()) {
      if (is_integer_type(x.type) || rational(x).is_negative()) return std::nullopt;
      squares.push_back(multiply(x, x));
      continue;
    }
    // |x| is known as an extremum.
    if (x.kind != Kind::kRoot || magnitudes_.contains(x.value.r)) return std::nullopt;
    const RootForm& form = roots_[index(x)];
    if (form.factor.r != 1 || form.powers.size() != 1 ||
        !(form.powers[0].exponent == Rational(1, 2)))
      return std::nullopt;
    squares.push_back(form.powers[0].base);
    rooted = true;
  }
  if (!rooted) return std::nullopt;
  return root(least ? minimum(squares) : maximum(squares), 1, 2);
}

std::optional<Number> Algebra::extreme_of_monotone(const std::vector<Number>& of, bool least) {
  if (cases() != nullptr || of.size() < 2) return std::nullopt;
  if (const auto known = extreme_of_exponentials(of, least)) return known;
  return extreme_of_square_roots(of, least);
}

}  // namespace assay::checker::identity
