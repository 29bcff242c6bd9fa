// Exponentials, logarithms and angles.
#include "static_check/identity/algebra.h"

namespace assay::identity {

uint64_t Algebra::exponential_of(const Number& number, int64_t multiple) const {
  uint64_t result = kValues.power(
      kGenerator, kExponents.multiply(number.residue.exponent, kExponents.of(multiple)));
  if (!has(number, Form::Kind::kLogarithms)) return result;
  for (const auto& [of, coefficient] : number.form->logarithms) {
    const Rational exponent = *known(coefficient) * Rational(multiple);
    result = kValues.multiply(result, raised(Residue{of, 0}, exponent.numerator()).value);
  }
  return result;
}

std::optional<Number> Algebra::exponential_of_choice(const Number& a) {
  const auto each = [&](std::span<const Number> x) { return std::optional(exponential(x[0])); };
  auto result = exponential_at_places(a);
  if (!result)
    result = has(a, Form::Kind::kKept) ? each_branch({&a, 1}, each) : each_choice({&a, 1}, each);
  if (!result) return std::nullopt;
  factors_.learn_exponential(result->residue.value, a.residue);
  bases_.learn_exponential(result->residue.value, a.residue);
  return result;
}

Number Algebra::plain_exponential(const Number& a) {
  switch (a.kind) {
    case Number::Kind::kUndefined:
    case Number::Kind::kInfinity:
      return a;
    case Number::Kind::kMinusInfinity:
      return constant(0);
    case Number::Kind::kHidden:
      return exponential_of_hidden(a);
    case Number::Kind::kFinite:
      break;
  }
  if (is_zero(a)) return constant(1);
  if (has(a, Form::Kind::kChoice) || has(a, Form::Kind::kKept))
    if (const auto chosen = exponential_of_choice(a)) return *chosen;
  if (has(a, Form::Kind::kLogarithms) && common_denominator(a)) {
    // exp(x + log(v) / 2) = exp(x) sqrt(v)
    Number product = a.residue == Residue{} ? constant(1) : exponential({a.residue});
    for (const auto& [of, coefficient] : a.form->logarithms)
      product = multiply(product, power({positive_.at(of)}, *known(coefficient)));
    return product;
  }
  const Number argument = settled(a);
  const uint64_t value = exponential_of(argument, 1);
  // That of the negative is its inverse.
  const uint64_t inverse = kValues.inverse(value), keys[] = {std::min(value, inverse)};
  if (cases_ != nullptr) arguments_.emplace(value, argument);
  factors_.learn_exponential(value, argument.residue);
  bases_.learn_exponential(value, argument.residue);
  const uint64_t exponent = random_residue("exp", keys).exponent;
  return {Residue{value, value <= inverse ? exponent : kExponents.inverse(exponent)}};
}

Number Algebra::logarithm(const Number& a) {
  if (a.kind == Number::Kind::kInfinity) return a;
  if (!a.is_finite() || is_zero(a)) return undefined();
  const Number of = settled(a);
  if (const Rational* known = constant_of(of); known != nullptr && known->is_one())
    return constant(0);
  if (has(of, Form::Kind::kRoot)) {
    Number sum = of.form->factor == Residue{1, 1} ? constant(0) : logarithm({of.form->factor});
    for (const auto& [base, exponent] : of.form->roots)
      sum = add(sum, scaled(logarithm({base}), exponent));
    return sum;
  }
  positive_.try_emplace(of.residue.value, of.residue);
  Form form{Form::Kind::kLogarithms};
  form.logarithms.emplace_back(of.residue.value, constant(1).residue);
  return with(Residue{}, std::move(form));
}

Number Algebra::cosine(const Number& a) {
  if (!a.is_finite()) return undefined();
  return {angles_.at(settled(a).residue).cos};
}

Number Algebra::sine(const Number& a) {
  if (!a.is_finite()) return undefined();
  return {angles_.at(settled(a).residue).sin};
}

}  // namespace assay::identity
