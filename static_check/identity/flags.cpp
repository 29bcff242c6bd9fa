// Conditions, and numbers under them.
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
  if (!flag.is_finite() || !has(flag, Form::Kind::kFlag))
    throw NotRepresented{"a condition that is no flag"};
  if (kept.kind == Number::Kind::kUndefined) return kept;
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
      const Number argument{of}, zero = constant(0);
      return scaled(flag.form->negated ? minimum(argument, zero) : maximum(argument, zero), *times);
    }
  }
  Form form{Form::Kind::kKept};
  form.parts = {flag, value};
  return with(flag.residue * value.residue, std::move(form));
}

}  // namespace assay::identity
