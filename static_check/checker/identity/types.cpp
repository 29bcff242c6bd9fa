#include "shared_ir/cast.h"
#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

Number Algebra::plain_typed(Number x, Type type) {
  if (!x.is_finite()) {
    if (type != kReal && (x.is_infinite() || is_hidden(x))) return undefined();
    x.type = type;
    return x;
  }
  if (x.type != type)
    if (const auto known = member_by_member({&x, 1}, type, [&](std::span<const Number> y) {
          return std::optional(typed(y[0], type));
        }))
      return *known;
  if (type == kFlag && !is_flag(x)) return flag(x.value);
  if (x.is_constant() && x.type != type) return exact(rational(x), type);
  if (x.type != type && is_integer_type(type) && !is_flag(x)) x.in_range = false;
  x.type = type;
  return x;
}

// A flag is the number 0 or 1; an integer that has not wrapped is that number in any type that has
// it. All else is a function of both types.
Number Algebra::plain_cast(const Number& x, Type to) {
  if (x.kind == Kind::kNan || x.type == to) return x;
  if (x.is_infinite() && cases() != nullptr) throw Rejection{"a cast of infinity"};
  if (!x.is_finite()) return undefined();
  if (selects_constants({&x, 1}))
    return *member_by_member(
        {&x, 1}, to, [&](std::span<const Number> y) { return std::optional(cast(y[0], to)); });
  if (to == kFlag) return is_flag(x) ? typed(x, to) : negation(negation(x));
  if (is_flag(x)) {
    Number result = typed(x, to);
    result.in_range = is_integer_type(to);
    result.bound = 1;
    return result;
  }
  const bool from_integer = is_integer_type(x.type);
  if (x.is_constant()) {
    const Rational& value = rational(x);
    if (!is_integer_type(to)) return exact(value, to);
    if (value.is_integer()) {
      try {
        const auto number = static_cast<PlainInt>(value.numerator());
        if (from_integer) return exact(Rational(cast_integer(number, static_cast<DType>(to))), to);
        const auto [low, high] = integer_range(static_cast<DType>(to));
        if (low <= number && number <= high) return exact(value, to);
      } catch (const RationalOverflow&) {
      }
    }
  }
  if (from_integer && x.in_range) {
    const bool kept =
        to == kReal || cast_keeps_values(static_cast<DType>(x.type), static_cast<DType>(to));
    if (kept) {
      Number result = x;
      result.type = to;
      result.in_range = is_integer_type(to);
      if (result.kind != Kind::kOrdinary) {  // the form is one of integers
        result.kind = Kind::kOrdinary;
        result.form = -1;
      }
      return result;
    }
  }
  if (from_integer)
    if (const auto known = member_by_member(
            {&x, 1}, to, [&](std::span<const Number> y) { return std::optional(cast(y[0], to)); }))
      return *known;
  return unknown("cast", {{x}}, to);
}

Number Algebra::as_integer(const Number& x, Type to) {
  if (!x.is_finite()) return undefined();
  if (x.is_constant()) return exact(rational(x), to);
  Number result = ordinary(x.value, to);
  result.in_range = true;
  result.depends = x.depends;
  return result;
}

}  // namespace assay::checker::identity
