// Signs and extrema by cases.
#include <bit>

#include "static_check/identity/algebra.h"

namespace assay::identity {

std::optional<Algebra::AffineView> Algebra::affine_view(const Number& number) const {
  if (!number.is_finite()) return std::nullopt;
  if (number.form == nullptr) return AffineView{number.residue, 1, 0};
  if (!has(number, Form::Kind::kAffine)) return std::nullopt;
  return AffineView{number.form->argument, number.form->scale, number.form->constant};
}

Number Algebra::affine(const AffineView& view) {
  if (view.scale.is_zero()) return constant(view.offset);
  if (view.scale.is_one() && view.offset.is_zero()) return {view.of};
  Form form{Form::Kind::kAffine};
  form.argument = view.of;
  form.scale = view.scale;
  form.constant = view.offset;
  return with(view.of * residue_of(view.scale) + residue_of(view.offset), std::move(form));
}

std::optional<Number> Algebra::affine_sum(const Number& a, const Number& b) {
  const auto left = affine_view(a), right = affine_view(b);
  const Rational *first = constant_of(a), *second = constant_of(b);
  if (left && second != nullptr) return affine({left->of, left->scale, left->offset + *second});
  if (right && first != nullptr) return affine({right->of, right->scale, right->offset + *first});
  if (!left || !right) return std::nullopt;
  if (left->of.value == right->of.value)
    return affine({left->of, left->scale + right->scale, left->offset + right->offset});
  // What both have beside constants, so that x - y + c is known to be compared with -c.
  const Rational offset = left->offset + right->offset;
  const Residue rest = a.residue + b.residue - residue_of(offset);
  cases_->learn_sum(rest.value, left->of.value, left->scale, right->of.value, right->scale);
  note_sum(rest, {left->of, left->scale, 0}, {right->of, right->scale, 0});
  if (offset.is_zero()) return std::nullopt;
  return affine({rest, 1, offset});
}

int Algebra::sign(const Number& number, Cases::Use use) {
  // log v > 0 where v > 1.
  if (has(number, Form::Kind::kLogarithms))
    if (const auto multiple = common_denominator(number))
      return sign(subtract({{exponential_of(number, *multiple), 0}}, constant(1)), use);
  const Number a = settled(number);
  if (const Rational* known = constant_of(a))
    return known->is_zero() ? 0 : known->is_positive() ? 1 : -1;
  if (a.residue.value == 0) return 0;
  if (number.sign == Sign::kPositive) return 1;
  // A root is positive.
  if (has(a, Form::Kind::kRoot)) {
    const Residue& factor = a.form->factor;
    if (const Rational* known = this->known(factor)) return known->is_positive() ? 1 : -1;
    return cases_->sign(factor.value, 1, 0, use);
  }
  if (const auto view = affine_view(a)) {
    if (view->of.value == 0) return view->offset.is_positive() ? 1 : -1;
    // exp x > 1 where x > 0.
    if (const Number* argument = argument_of(view->of); argument != nullptr) {
      const int direction = view->scale.is_positive() ? 1 : -1;
      const Rational threshold = -view->offset / view->scale;
      if (!threshold.is_positive()) return direction;
      if (threshold.is_one()) return direction * sign(Number(*argument), use);
    }
    if (view->offset.is_zero())
      if (const auto known = sign_by_factor(view->of, use))
        return view->scale.is_positive() ? *known : -*known;
    return cases_->sign(view->of.value, view->scale, view->offset, use);
  }
  return cases_->sign(a.residue.value, 1, 0, use);
}

const Number* Algebra::argument_of(const Residue& exponential) const {
  const auto found = arguments_.find(exponential.value);
  return found == arguments_.end() ? nullptr : &found->second;
}

bool Algebra::exceeds(const Number& a, const Number& b) {
  const Number* left = a.form == nullptr ? argument_of(a.residue) : nullptr;
  const Number* right = b.form == nullptr ? argument_of(b.residue) : nullptr;
  if (left != nullptr && right != nullptr) return exceeds(Number(*left), Number(*right));
  return sign(subtract(a, b), Cases::Use::kContinuous) > 0;
}

Number Algebra::greatest_by_cases(std::span<const Number> of) {
  const Number* greatest = nullptr;
  for (const Number& number : of) {
    if (number.kind == Number::Kind::kUndefined || number.kind == Number::Kind::kInfinity)
      return number;
    if (!number.is_finite()) continue;
    if (greatest == nullptr || exceeds(number, *greatest)) greatest = &number;
  }
  return greatest == nullptr ? infinity(true) : *greatest;
}

}  // namespace assay::identity
