// Sums, products and functions with what is known of their signs.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {

Number Algebra::signed_as(Number number, Sign sign) {
  // What is beside logarithms is not the number.
  if (!number.is_finite() || constant_of(number) != nullptr || has(number, Form::Kind::kLogarithms))
    return number;
  number.sign = std::max(number.sign, sign);
  if (number.sign == Sign::kPositive) {
    factors_.learn_positive(number.residue);
    bases_.learn_positive(number.residue);
  }
  if (cases_ != nullptr && number.sign != Sign::kAny)
    cases_->learn_nonnegative(number.residue.value, number.sign == Sign::kPositive);
  return number;
}

// Whether factors of it may be noted.
bool Algebra::is_plain(const Number& a) const {
  return cases_ == nullptr && factored_ && a.is_finite() && !has(a, Form::Kind::kConstant) &&
         !has(a, Form::Kind::kLogarithms);
}

Number Algebra::add(const Number& a, const Number& b) {
  Number sum = plain_sum(a, b);
  if (a.sign == Sign::kAny || b.sign == Sign::kAny) {
    if (is_plain(a) && is_plain(b) && is_plain(sum)) positive_factors_.learn_sum(sum.residue, a, b);
    return sum;
  }
  if (a.sign == Sign::kPositive && sum.is_finite() && constant_of(a) == nullptr &&
      constant_of(b) == nullptr) {
    factors_.learn_term(sum.residue.value, a.residue);
    bases_.learn_term(sum.residue.value, a.residue);
  }
  return signed_as(std::move(sum), std::max(a.sign, b.sign));
}

Number Algebra::scaled(const Number& a, const Rational& by) {
  Number product = plain_multiple(a, by);
  if (by.is_positive()) {
    if (cases_ != nullptr && a.is_finite() && product.is_finite())
      cases_->learn_same_side(product.residue.value, a.residue.value);
    if (is_plain(a) && is_plain(product)) positive_factors_.learn_multiple(product.residue, a, by);
    return signed_as(std::move(product), a.sign);
  }
  if (constant_of(product) == nullptr) product.sign = Sign::kAny;
  if (is_plain(a) && is_plain(product)) positive_factors_.learn_multiple(product.residue, a, by);
  return product;
}

Number Algebra::multiply(const Number& a, const Number& b) {
  Number product = plain_product(a, b);
  if (!a.is_finite() || !b.is_finite() || !product.is_finite()) return product;
  if (cases_ != nullptr) {
    if (constant_of(a) == nullptr && constant_of(b) == nullptr) note_product(product, a, b);
    if (a.sign == Sign::kPositive)
      cases_->learn_same_side(product.residue.value, b.residue.value);
    else if (b.sign == Sign::kPositive)
      cases_->learn_same_side(product.residue.value, a.residue.value);
  }
  if (is_plain(a) && is_plain(b) && is_plain(product))
    positive_factors_.learn_product(product.residue, a, b);
  Sign sign = std::min(a.sign, b.sign);
  if (sign == Sign::kPositive && constant_of(product) == nullptr) {
    factors_.learn_product(product.residue.value, a.residue, b.residue);
    bases_.learn_product(product.residue.value, a.residue, b.residue);
  }
  if (!has(a, Form::Kind::kLogarithms) && !has(b, Form::Kind::kLogarithms) &&
      a.residue.value == b.residue.value)
    sign = std::max(sign, Sign::kNonnegative);
  return signed_as(std::move(product), sign);
}

// Where it is defined: a root is of what is not negative, and a reciprocal of what is not 0.
Number Algebra::power(const Number& a, const Rational& exponent) {
  Number result = plain_power(a, exponent);
  const bool even = exponent.numerator() % 2 == 0, root = exponent.denominator() % 2 == 0;
  Sign sign = even || root ? std::max(a.sign, Sign::kNonnegative) : a.sign;
  if (exponent.is_negative() && sign == Sign::kNonnegative) sign = Sign::kPositive;
  if (exponent.is_integer() && a.sign == Sign::kPositive && result.is_finite() &&
      constant_of(a) == nullptr) {
    factors_.learn_power(result.residue.value, a.residue, exponent);
    bases_.learn_power(result.residue.value, a.residue, exponent);
  }
  return signed_as(std::move(result), sign);
}

// Of numbers that are equal it is that of the first: what cancels in a number may not do so in an
// exponent.
Number Algebra::exponential(const Number& a) {
  constexpr size_t kMost = size_t{1} << 18;
  if (is_hidden(a)) return exponential_of_hidden(a);
  if (!a.is_finite() || known_exponentials_.size() >= kMost)
    return signed_as(plain_exponential(a), Sign::kPositive);
  const uint64_t of = settled(a).residue.value;
  if (const auto known = known_exponentials_.find(of); known != known_exponentials_.end())
    return known->second;
  Number result = signed_as(plain_exponential(a), Sign::kPositive);
  known_exponentials_.try_emplace(of, result);
  if (result.is_finite() && constant_of(result) == nullptr)
    exponents_.try_emplace(settled(result).residue.value, settled(a).residue);
  return result;
}

Number Algebra::magnitude(const Number& x) {
  constexpr size_t kMost = size_t{1} << 16;
  Number result = power(multiply(x, x), Rational(1, 2));
  if (result.is_finite() && constant_of(result) == nullptr && magnitudes_.size() < kMost)
    magnitudes_.try_emplace(result.residue.value, settled(x).residue);
  return result;
}

// The greatest of flags is that one of them is set.
std::optional<Number> Algebra::greatest_flag(std::span<const Number> of) {
  const auto is_flag = [&](const Number& number) {
    const Rational* known = constant_of(number);
    return known != nullptr ? known->is_zero() || known->is_one() : has(number, Form::Kind::kFlag);
  };
  if (of.size() < 2 || !std::ranges::all_of(of, is_flag)) return std::nullopt;
  Number none = constant(1);
  for (const Number& flag : of) none = conjunction(none, negation(flag));
  return negation(none);
}

Number Algebra::maximum(std::span<const Number> of) {
  if (auto flag = greatest_flag(of)) return *flag;
  Sign sign = Sign::kAny;
  for (const Number& number : of)
    if (number.is_finite()) sign = std::max(sign, number.sign);
  // What is not negative is as large as a constant that is not positive.
  const auto is_below = [&](const Number& number) {
    const Rational* known = constant_of(number);
    return known != nullptr && !known->is_positive();
  };
  std::vector<Number> others(of.begin(), of.end());
  if (std::ranges::any_of(of, [&](const Number& number) {
        return number.is_finite() && number.sign != Sign::kAny && !is_below(number);
      }))
    std::erase_if(others, is_below);
  return signed_as(plain_maximum(others), sign);
}

}  // namespace assay::identity
