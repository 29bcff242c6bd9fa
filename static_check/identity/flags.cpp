// Conditions, and numbers under them.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

const Rational kOne(1), kMinusOne(-1);

}  // namespace

Number Algebra::flag_of(const Number& number) const {
  if (has(number, Form::Kind::kConstant)) return number;
  return flagged(number.residue, nullptr, false);
}

Number Algebra::negation(const Number& flag) {
  if (const Rational* known = constant_of(flag)) return constant(Rational(1) - *known);
  if (has(flag, Form::Kind::kChoice)) return subtract(constant(1), flag);
  if (!flag.is_finite()) throw NotRepresented{"a flag that is none"};
  Number result{Residue{1, 1} - flag.residue};
  Form form{Form::Kind::kFlag};
  if (has(flag, Form::Kind::kFlag)) form = *flag.form;
  form.negated = !form.negated;
  result.form = std::make_shared<const Form>(std::move(form));
  result.in_range = true;
  return result;
}

// A choice of flags is one.
bool Algebra::is_flag(const Number& number) const {
  if (!has(number, Form::Kind::kChoice)) return has(number, Form::Kind::kFlag);
  return std::ranges::all_of(number.form->parts, [&](const Number& part) {
    const Rational* known = constant_of(part);
    return known != nullptr && (known->is_zero() || known->is_one());
  });
}

// Whether the quotient is one of the constants, and positive.
bool Algebra::is_positive_multiple(const Residue& a, const Residue& b) const {
  if (a.value == b.value) return true;
  if (a.value == 0 || b.value == 0 || a.value == kValues.negative(b.value)) return false;
  const uint64_t quotient = kValues.multiply(a.value, kValues.inverse(b.value));
  for (const uint64_t ratio : {quotient, kValues.inverse(quotient)})
    if (const Rational* known = constant_with(ratio); known != nullptr && known->is_positive())
      return true;
  return false;
}

Number Algebra::conjunction(const Number& a, const Number& b) {
  if (const Rational* known = constant_of(a)) return known->is_zero() ? a : b;
  if (const Rational* known = constant_of(b)) return known->is_zero() ? b : a;
  if (!a.is_finite() || !b.is_finite()) throw NotRepresented{"a flag that is none"};
  if (has(a, Form::Kind::kChoice) || has(b, Form::Kind::kChoice))
    if (const auto both = product_of_choices(a, b)) return *both;
  if (a.residue.value == b.residue.value) return a;
  if (kValues.add(a.residue.value, b.residue.value) == 1) return constant(0);
  return flagged(a.residue * b.residue, nullptr, false);
}

Number Algebra::keep(const Number& flag, const Number& kept) {
  if (const Rational* known = constant_of(flag)) return known->is_zero() ? constant(0) : kept;
  if (has(flag, Form::Kind::kChoice) && kept.is_finite()) return multiply(flag, kept);
  if (!flag.is_finite() || !is_flag(flag)) throw NotRepresented{"a condition that is no flag"};
  if (kept.kind == Number::Kind::kUndefined) return kept;
  if (kept.kind == Number::Kind::kMinusInfinity) return hidden(flag, constant(0));
  if (is_hidden(kept)) return kept_of_hidden(flag, kept);
  if (!kept.is_finite()) throw NotRepresented{"an infinity under a condition"};
  if (is_zero(kept)) return kept;
  if (has(kept, Form::Kind::kLogarithms)) return times_logarithms(kept, flag.residue);
  const Number& value = kept;
  if (has(value, Form::Kind::kFlag)) return conjunction(flag, value);
  if (has(value, Form::Kind::kKept)) {
    const uint64_t inner = value.form->flag().residue.value;
    if (inner == flag.residue.value) return value;
    if (kValues.add(inner, flag.residue.value) == 1) return constant(0);
  }
  if (has(value, Form::Kind::kChoice))
    if (const auto parts = by_flag(flag, *value.form->order))
      return keep(flag, value.form->parts[is_zero((*parts)[0]) ? 1 : 0]);
  if (flag.form->is_sign && !value.in_range) {
    // [x > 0] c x = c max(x, 0).
    const Residue& of = flag.form->argument;
    const uint64_t ratio = kValues.multiply(value.residue.value, kValues.inverse(of.value));
    const auto known = constants_.find(ratio);
    const Rational* times = ratio == 1                     ? &kOne
                            : ratio == kValues.negative(1) ? &kMinusOne
                            : known == constants_.end()    ? nullptr
                                                           : &known->second->constant;
    if (times != nullptr) {
      Number argument{of};
      if (times->is_positive()) argument.sign = value.sign;
      const Number zero = constant(0);
      return scaled(flag.form->negated ? minimum(argument, zero) : maximum(argument, zero), *times);
    }
  }
  Form form{Form::Kind::kKept};
  form.parts = {flag, value};
  return with(flag.residue * value.residue, std::move(form));
}

Number Algebra::is_positive(const Number& number) {
  if (number.kind == Number::Kind::kUndefined)
    throw NotRepresented{"a sign of what is not defined"};
  if (!number.is_finite()) return constant(number.kind == Number::Kind::kInfinity ? 1 : 0);
  const Number a = settled(number);
  if (const Rational* known = constant_of(a)) return constant(known->is_positive() ? 1 : 0);
  if (a.sign == Sign::kPositive) return constant(1);
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
  if (cases_ != nullptr) return constant(sign(number, Cases::Use::kFlag) > 0 ? 1 : 0);
  const Residue of = signs_asked_.first_of(a.residue, scales_).first;
  const uint64_t keys[] = {of.value};
  return flagged(random_residue("positive", keys), &of, false);
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
  const Number unsettled = subtract(a, b), difference = settled(unsettled);
  if (const Rational* known = constant_of(difference)) return constant(known->is_zero() ? 1 : 0);
  if (difference.residue.value == 0) return constant(1);
  if (cases_ == nullptr && difference.sign == Sign::kNonnegative)
    return negation(is_positive(difference));
  if (cases_ != nullptr) return constant(sign(unsettled, Cases::Use::kFlag) == 0 ? 1 : 0);
  Residue of = zeros_asked_.first_of(difference.residue, scales_).first;
  if (of.value == difference.residue.value)
    of = zeros_asked_.first_of(Residue{} - difference.residue, scales_).first;
  const uint64_t keys[] = {std::min(of.value, kValues.negative(of.value))};
  return random_flag("zero", keys);
}

}  // namespace assay::identity
