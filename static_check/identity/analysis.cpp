// Exponentials, logarithms, powers and extrema.
#include <algorithm>
#include <cmath>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostElements = 4096;  // of a maximum

// Factors up to this are taken out of roots.
constexpr int64_t kLargestFactor = 1000;

const uint64_t kSqrtTwo = kValues.power(2, (kValues.modulus() + 1) / 4);
const uint64_t kSqrtTwoInExponents = kExponents.power(2, (kExponents.modulus() + 1) / 4);

// The root that is a square itself, where there is one, so that the root of a square is |x| as
// Cases has it; else `other`.
Residue square_root(const Residue& of, const Residue& other) {
  const uint64_t root = kValues.power(of.value, (kValues.modulus() + 1) / 4);
  if (kValues.multiply(root, root) != of.value) return other;
  const uint64_t exponent = kExponents.power(of.exponent, (kExponents.modulus() + 1) / 4);
  const bool exact = kExponents.multiply(exponent, exponent) == of.exponent;
  return {root, exact ? exponent : other.exponent};
}

}  // namespace

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

Number Algebra::exponential(const Number& a) {
  switch (a.kind) {
    case Number::Kind::kUndefined:
    case Number::Kind::kInfinity:
      return a;
    case Number::Kind::kMinusInfinity:
      return constant(0);
    case Number::Kind::kFinite:
      break;
  }
  if (is_zero(a)) return constant(1);
  const Number argument = common_denominator(a) == 1 ? a : settled(a);
  const uint64_t value = exponential_of(argument, 1);
  const uint64_t keys[] = {value};
  if (cases_ != nullptr && !has(argument, Form::Kind::kLogarithms))
    arguments_.emplace(value, argument);
  return {Residue{value, random_residue("exp", keys).exponent}};
}

Number Algebra::logarithm(const Number& a) {
  if (a.kind == Number::Kind::kInfinity) return a;
  if (!a.is_finite() || is_zero(a)) return undefined();
  const Number of = settled(a);
  if (const Rational* known = constant_of(of); known != nullptr && known->is_one())
    return constant(0);
  Form form{Form::Kind::kLogarithms};
  form.logarithms.emplace_back(of.residue.value, constant(1).residue);
  return {Residue{},
          Number::Kind::kFinite,
          false,
          0,
          0,
          0,
          std::make_shared<const Form>(std::move(form))};
}

Number Algebra::reciprocal(const Number& a) {
  if (a.kind == Number::Kind::kUndefined) return a;
  if (!a.is_finite()) return constant(0);
  // What a flag leaves out has none.
  if (has(a, Form::Kind::kFlag) || has(a, Form::Kind::kKept)) return unknown("reciprocal", {&a, 1});
  return power(a, -1);
}

Number Algebra::power(const Number& number, const Rational& exponent) {
  if (!number.is_finite()) {
    if (number.kind == Number::Kind::kUndefined) return number;
    throw NotRepresented{"a power of an infinity"};
  }
  if (exponent.is_zero()) return constant(1);
  if (exponent.is_one()) return number;
  const Number a = settled(number);
  if (a.residue.value == 0) return exponent.is_negative() ? undefined() : constant(0);
  if (exponent.is_positive()) {
    if (has(a, Form::Kind::kFlag)) return a;
    if (has(a, Form::Kind::kKept)) return keep(a.form->flag(), power(a.form->kept(), exponent));
  }
  if (!exponent.is_integer()) {
    if (const Rational* known = constant_of(a)) return root_of_constant(*known, exponent);
    return root(Residue{1, 1}, a.residue, exponent);
  }
  const int64_t times = exponent.numerator();
  if (const Rational* known = constant_of(a); known != nullptr && std::abs(times) <= 64) {
    try {
      Rational result(1);
      for (int64_t i = 0; i < std::abs(times); ++i) result = result * *known;
      return constant(times < 0 ? Rational(1) / result : result);
    } catch (const RationalOverflow&) {
    }
  }
  if (has(a, Form::Kind::kRoot)) {
    const Residue factor = raised(a.form->factor, times);
    const Rational whole = a.form->constant * exponent;
    if (!whole.is_integer()) return root(factor, a.form->argument, whole);
    return {factor * raised(a.form->argument, whole.numerator())};
  }
  return {raised(a.residue, times)};
}

Number Algebra::root(const Residue& factor, const Residue& base, const Rational& exponent) const {
  // By exponents between 0 and 1, so that x / sqrt(x) is sqrt(x).
  const int64_t parts = exponent.denominator();
  const int64_t rest = (exponent.numerator() % parts + parts) % parts;
  const uint64_t keys[] = {static_cast<uint64_t>(parts), base.value};
  Residue unit = random_residue("root", keys);
  if (cases_ != nullptr && cases_->assignments() == nullptr && parts == 2)
    unit = square_root(base, unit);
  Form form{Form::Kind::kRoot};
  form.constant = Rational(rest, parts);
  form.factor = factor * raised(base, (exponent.numerator() - rest) / parts);
  form.argument = base;
  return {form.factor * raised(unit, rest),
          Number::Kind::kFinite,
          false,
          0,
          0,
          0,
          std::make_shared<const Form>(std::move(form))};
}

Number Algebra::root_of_constant(const Rational& base, const Rational& exponent) {
  if (base.is_negative()) return undefined();
  if (exponent.denominator() != 2) return root(Residue{1, 1}, residue_of(base), exponent);
  // sqrt(p / q) = sqrt(p q) / q, and squares come out of p q.
  int64_t rest = 0;
  if (__builtin_mul_overflow(base.numerator(), base.denominator(), &rest))
    return root(Residue{1, 1}, residue_of(base), exponent);
  int64_t outside = 1;
  for (int64_t factor = 2; factor <= kLargestFactor && factor * factor <= rest; ++factor)
    while (rest % (factor * factor) == 0) {
      rest /= factor * factor;
      outside *= factor;
    }
  const Rational scale(outside, base.denominator());
  const int64_t times = exponent.numerator();  // of the square root
  if (rest == 1) return power(constant(scale), times);
  const Residue factor = raised(residue_of(scale), times);
  if (rest == 2) return {factor * raised({kSqrtTwo, kSqrtTwoInExponents}, times)};
  return root(factor, residue_of(rest), exponent);
}

Number Algebra::maximum(std::span<const Number> of) {
  const auto is_set = [](const Number& x) { return has(x, Form::Kind::kMaximum); };
  if (cases_ != nullptr && cases_->assignments() == nullptr &&
      (decide_sets_ || (of.size() <= 2 && std::ranges::none_of(of, is_set))))
    return greatest_by_cases(of);
  std::vector<Residue> elements;
  const Number* greatest = nullptr;  // of the constants
  for (const Number& number : of) {
    if (number.kind == Number::Kind::kUndefined || number.kind == Number::Kind::kInfinity)
      return number;
    if (!number.is_finite()) continue;
    if (const Rational* known = constant_of(number)) {
      const Rational* most = greatest == nullptr ? nullptr : constant_of(*greatest);
      if (most == nullptr || (*known - *most).is_positive()) greatest = &number;
      continue;
    }
    const Number member = settled(number);
    if (has(member, Form::Kind::kMaximum) && !member.form->negated) {
      for (const Residue& element : *member.form->elements)
        elements.push_back(element + member.form->shift);
    } else {
      elements.push_back(member.residue);
    }
  }
  if (elements.empty()) return greatest == nullptr ? infinity(true) : *greatest;
  if (greatest != nullptr) elements.push_back(greatest->residue);
  std::ranges::sort(elements, {}, &Residue::value);
  elements.erase(std::unique(elements.begin(), elements.end(),
                             [](const Residue& a, const Residue& b) { return a.value == b.value; }),
                 elements.end());
  // Of several constants that came with maxima, the greatest counts.
  const Rational* most = nullptr;
  for (const Residue& element : elements)
    if (const Rational* here = known(element);
        here != nullptr && (most == nullptr || (*here - *most).is_positive()))
      most = here;
  if (most != nullptr)
    std::erase_if(elements, [&](const Residue& element) {
      const Rational* here = known(element);
      return here != nullptr && !(*here == *most);
    });
  if (elements.size() > kMostElements) throw NotRepresented{"a maximum of too many elements"};
  if (elements.size() > 1) return maximum_of(std::move(elements));
  for (const Number& number : of)
    if (number.is_finite() && settled(number).residue.value == elements[0].value) return number;
  return {elements[0]};
}

Number Algebra::maximum_of(std::vector<Residue> elements) const {
  // What all elements have in common comes out: max(a + c, b + c) = max(a, b) + c. Of two, half of
  // what is left is their distance: max(a, b) = (a + b + sqrt((a - b)^2)) / 2.
  Residue mean;
  for (const Residue& element : elements) mean = mean + element;
  mean = mean * raised(residue_of(static_cast<int64_t>(elements.size())), -1);
  std::vector<uint64_t> keys;
  for (const Residue& element : elements)
    keys.push_back(kValues.subtract(element.value, mean.value));
  std::ranges::sort(keys);
  Form form{Form::Kind::kMaximum};
  form.elements = std::make_shared<const std::vector<Residue>>(std::move(elements));
  Residue rest;
  if (keys.size() == 2) {
    const Residue distance = (*form.elements)[0] - (*form.elements)[1];
    rest = root(residue_of(Rational(1, 2)), distance * distance, Rational(1, 2)).residue;
  } else {
    rest = random_residue("maximum", keys);
  }
  return {mean + rest,
          Number::Kind::kFinite,
          false,
          0,
          0,
          0,
          std::make_shared<const Form>(std::move(form))};
}

Number Algebra::minimum(const Number& a, const Number& b) {
  return negative(maximum(negative(a), negative(b)));
}

Number Algebra::is_positive(const Number& number) {
  if (number.kind == Number::Kind::kUndefined)
    throw NotRepresented{"a sign of what is not defined"};
  if (!number.is_finite()) return constant(number.kind == Number::Kind::kInfinity ? 1 : 0);
  const Number a = settled(number);
  if (const Rational* known = constant_of(a)) return constant(known->is_positive() ? 1 : 0);
  if (has(a, Form::Kind::kFlag)) return a;
  if (has(a, Form::Kind::kKept))
    if (const Rational* known = constant_of(a.form->kept()))
      return known->is_positive() ? a.form->flag() : constant(0);
  // max(x, c) > 0 where x > 0, for c <= 0: what a derivative of relu asks of its result.
  if (has(a, Form::Kind::kMaximum) && !a.form->negated && a.form->elements->size() == 2)
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const auto known = constants_.find(((*a.form->elements)[i] + a.form->shift).value);
      if (known != constants_.end() && !known->second->constant.is_positive())
        return is_positive({(*a.form->elements)[1 - i] + a.form->shift});
    }
  if (a.residue.value == 0) return constant(0);
  if (cases_ != nullptr) return constant(sign(a, Cases::Use::kFlag) > 0 ? 1 : 0);
  const uint64_t keys[] = {a.residue.value};
  return flagged(random_residue("positive", keys), &a.residue, false);
}

Number Algebra::is_equal(const Number& a, const Number& b) {
  if (a.kind == Number::Kind::kUndefined || b.kind == Number::Kind::kUndefined)
    throw NotRepresented{"a comparison with what is not defined"};
  if (!a.is_finite() || !b.is_finite()) return constant(a.kind == b.kind ? 1 : 0);
  if (has(a, Form::Kind::kFlag))
    if (const Rational* known = constant_of(b); known != nullptr) {
      if (known->is_one()) return a;
      return known->is_zero() ? negation(a) : constant(0);
    }
  if (has(b, Form::Kind::kFlag) && constant_of(a) != nullptr) return is_equal(b, a);
  const Number difference = settled(subtract(a, b));
  if (const Rational* known = constant_of(difference)) return constant(known->is_zero() ? 1 : 0);
  const uint64_t value = difference.residue.value;
  if (value == 0) return constant(1);
  if (cases_ != nullptr) return constant(sign(difference, Cases::Use::kFlag) == 0 ? 1 : 0);
  const uint64_t keys[] = {std::min(value, kValues.negative(value))};
  return random_flag("zero", keys);
}

}  // namespace assay::identity
