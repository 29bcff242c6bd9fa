#include <cmath>
#include <numeric>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

std::optional<PlainInt> root_of(PlainInt square) {
  const auto near = static_cast<PlainInt>(std::llround(std::sqrt(static_cast<double>(square))));
  if (near > (PlainInt{1} << 31) || near * near != square) return std::nullopt;
  return near;
}

}  // namespace

// Square roots of squares, and of twice a square.
std::optional<Number> Algebra::exact_root(const Rational& value, PlainInt numerator) {
  try {
    for (const bool twice : {false, true}) {
      const Rational square = twice ? value + value : value;
      const auto p = root_of(static_cast<PlainInt>(square.numerator()));
      const auto q = root_of(static_cast<PlainInt>(square.denominator()));
      if (!p || !q) continue;
      const Number rational_part = exact(Rational(*p, *q) * (twice ? Rational(1, 2) : Rational(1)));
      return power(twice ? multiply(root_two(), rational_part) : rational_part, numerator);
    }
  } catch (const RationalOverflow&) {
  }
  return std::nullopt;
}

Number Algebra::plain_root(const Number& x, PlainInt numerator, PlainInt denominator) {
  if (x.kind == Kind::kInfinity) return numerator > 0 ? x : exact(Rational(0));
  if (!x.is_finite()) return undefined();
  if (x.is_constant()) {
    if (rational(x).is_negative()) return undefined();
    // The sign of the infinity is that of the zero.
    if (rational(x).is_zero()) return numerator > 0 ? exact(Rational(0)) : undefined();
    if (rational(x).is_one()) return exact(Rational(1));
    if (denominator == 2)
      if (auto result = exact_root(rational(x), numerator)) return *result;
  }
  if (is_integer_type(x.type)) {
    const uint64_t keys[] = {static_cast<uint64_t>(numerator), static_cast<uint64_t>(denominator)};
    return unknown("root", {{x}}, kReal, keys);
  }
  return root_form({{1, 1}, x, numerator, denominator});
}

Number Algebra::root_form(RootForm form) {
  if (form.factor.r == 0) return exact(Rational(0));
  if (form.base.value.r == 0) return undefined();
  const bool alone = form.factor.r == 1;
  // Exponents between 0 and 1: the rest is a power of the base itself.
  const PlainInt rest = (form.numerator % form.denominator + form.denominator) % form.denominator;
  if (rest == 0) return ordinary(form.factor);
  form.factor =
      form.factor * identity::power(form.base.value, (form.numerator - rest) / form.denominator);
  form.numerator = rest;
  Residues root = random_(
      "root", std::vector<uint64_t>{static_cast<uint64_t>(form.denominator), form.base.value.r});
  if (cases() != nullptr && !cases()->all_chosen() && form.denominator == 2 &&
      is_square(form.base.value.r)) {
    root.r = square_root<kP>(form.base.value.r);
    const uint64_t e = square_root<kQ>(form.base.value.e);
    if (times<kQ>(e, e) == form.base.value.e) root.e = e;
  }
  const bool of_positive = form.base.positive;
  Number result = with_form(form.factor * identity::power(root, form.numerator), Kind::kRoot,
                            roots_, std::move(form));
  result.type = kReal;
  result.nonnegative = alone;
  result.positive = alone && of_positive;
  return result;
}

Number Algebra::product_of_roots(const Number& a, const Number& b) {
  if (a.kind != Kind::kRoot) return product_of_roots(b, a);
  RootForm form = roots_[index(a)];
  if (b.kind != Kind::kRoot) {
    form.factor = form.factor * b.value;
    return root_form(std::move(form));
  }
  const RootForm& other = roots_[index(b)];
  if (other.base.value.r != form.base.value.r || other.denominator != form.denominator)
    return ordinary(a.value * b.value);
  const PlainInt numerator = form.numerator + other.numerator;
  form.factor = form.factor * other.factor;
  if (numerator == 0) return ordinary(form.factor);
  // A power of the base itself only where the root is defined.
  if (numerator % form.denominator == 0 && form.base.nonnegative)
    return multiply(ordinary(form.factor), power(form.base, numerator / form.denominator));
  if (std::gcd(numerator, form.denominator) != 1) return ordinary(a.value * b.value);
  form.numerator = numerator;
  return root_form(std::move(form));
}

}  // namespace assay::checker::identity
