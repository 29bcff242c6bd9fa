// Floating numbers that are rounded to integers: each function in one form.
//
//   ceil(x)         = -floor(-x)
//   floor(x + n)    = floor(x) + n            n an integer, or one that a function has made so
//   round(x + 2n)   = round(x) + 2n           ties go to the even one
//   round(-x)       = -round(x)               trunc alike
//   div_floor(x, y) = floor(x / y)            div_trunc alike; of a constant y the latter
//   remainder(x, y) = x - y div_floor(x, y)
//   fmod(x, y)      = x - y div_trunc(x, y)
//   sign(x) floor(|x|) = trunc(x)
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/lower/build/builder.h"
#include "shared_ir/reference/whole_numbers.h"

namespace assay::lowering {
namespace {

Int floor_of(const Rational& value) { return floor_divide(value.numerator(), value.denominator()); }

// Of a constant, which is not negative, and below 2.
Int nearest(const std::string& fn, const Rational& value) {
  if (fn != "round") return floor_of(value);
  const Int half = floor_of(value + Rational(1, 2));
  const bool tie = (value + Rational(1, 2)).is_integer();
  return tie && half % 2 == 1 ? half - 1 : half;
}

bool is_named(const CoreOp& op, const char* fn) { return op.prim == Prim::kMap && op.fn == fn; }

}  // namespace

// As a sum of what are no sums. False of too many, and of what depends on sizes.
bool Builder::add_real_parts(CoreId x, const Rational& times, RealSum& sum) const {
  constexpr size_t kMostTerms = 16;
  if (sum.terms.size() > kMostTerms) return false;
  const CoreOp& made = op(x);
  if (is_finite_constant(x)) {
    if (!is_number(made.constant.numerator()) || !is_number(made.constant.denominator()))
      return false;
    sum.constant = sum.constant + times * made.constant;
    return true;
  }
  if (made.prim != Prim::kLinear) {
    Rational& of = sum.terms[x];
    of = of + times;
    if (of.is_zero()) sum.terms.erase(x);
    return true;
  }
  for (size_t i = 0; i < made.operands.size(); ++i) {
    if (!is_number(made.coefs[i].numerator()) || !is_number(made.coefs[i].denominator()))
      return false;
    if (!add_real_parts(made.operands[i], times * made.coefs[i], sum)) return false;
  }
  return true;
}

CoreId Builder::built_real(const RealSum& sum, CoreId like) {
  const DType type = dtype(like);
  const Shape as(shape(like));
  if (sum.terms.empty()) return constant(sum.constant, type, as);
  std::vector<CoreId> operands;
  std::vector<Rational> coefs;
  for (const auto& [id, times] : sum.terms) operands.push_back(id), coefs.push_back(times);
  if (!sum.constant.is_zero())
    operands.push_back(constant(sum.constant, type, as)), coefs.emplace_back(1);
  return linear(operands, coefs);
}

// kNone where it is in this form.
CoreId Builder::rounded_sum(const std::string& fn, CoreId x) {
  RealSum rest, whole;
  const Rational unit = fn == "round" ? 2 : 1;
  bool all_whole = true;
  try {
    if (!add_real_parts(x, Rational(1), rest)) return kNone;
    for (const auto& [id, times] : rest.terms) {
      const bool is_whole = times.is_integer() && whole_range(program_, id);
      all_whole = all_whole && is_whole;
      if (is_whole && (times / unit).is_integer()) whole.terms.emplace(id, times);
    }
    all_whole = all_whole && rest.constant.is_integer();
    if (all_whole) return built_real(rest, x);
    if (fn == "trunc") whole.terms.clear();
    for (const auto& [id, times] : whole.terms) rest.terms.erase(id);
    if (fn != "trunc") whole.constant = unit * Rational(floor_of(rest.constant / unit));
    rest.constant = rest.constant - whole.constant;
    const bool negative =
        fn != "floor" && !rest.terms.empty() && rest.terms.begin()->second.is_negative();
    if (whole.terms.empty() && whole.constant.is_zero() && !negative) return kNone;
    if (negative) {
      for (auto& [id, times] : rest.terms) times = -times;
      rest.constant = -rest.constant;
      if (fn == "round") {
        const Rational turned = unit * Rational(floor_of(rest.constant / unit));
        rest.constant = rest.constant - turned;
        whole.constant = whole.constant - turned;
      }
    }
    if (rest.terms.empty()) {
      whole.constant = whole.constant + Rational(nearest(fn, rest.constant));
      return built_real(whole, x);
    }
    const CoreId rounded = map(fn, {built_real(rest, x)}, dtype(x), 0);
    return add_scaled(rounded, negative ? -1 : 1, whole, x);
  } catch (const RationalOverflow&) {
    return kNone;
  }
}

// `times` the operator and the sum.
CoreId Builder::add_scaled(CoreId id, const Rational& times, RealSum sum, CoreId like) {
  if (!add_real_parts(id, times, sum)) {
    Rational& of = sum.terms[id];
    of = of + times;
  }
  return built_real(sum, like);
}

CoreId Builder::rounding(const std::string& fn, const std::vector<CoreId>& operands, DType type) {
  const CoreId x = operands[0];
  if (is_finite_constant(x)) return kNone;
  if (fn == "ceil") return scale(map("floor", {scale(x, -1)}, type, 0), -1);
  if (fn == "floor" || fn == "round" || fn == "trunc") {
    const CoreId rounded = rounded_quotient(fn, x);
    return rounded != kNone ? rounded : rounded_sum(fn, x);
  }
  const bool quotient = fn == "div_floor" || fn == "div_trunc";
  if ((!quotient && fn != "remainder" && fn != "fmod") || operands.size() != 2) return kNone;
  const CoreId y = operands[1];
  const bool down = fn == "div_floor" || fn == "remainder";
  if (is_finite_constant(y) && !op(y).constant.is_zero()) {
    const Rational by = op(y).constant;
    const CoreId whole = map(down ? "floor" : "trunc", {scale(x, Rational(1) / by)}, type, 0);
    return quotient ? whole : linear({x, whole}, {Rational(1), -by});
  }
  if (quotient || op(y).prim == Prim::kConst) return kNone;
  const CoreId whole = map(down ? "div_floor" : "div_trunc", {x, y}, type, 0);
  return linear({x, mul(y, whole)}, {Rational(1), Rational(-1)});
}

// Of x / y, as a function of both; kNone of another operator.
CoreId Builder::rounded_quotient(const std::string& fn, CoreId quotient) {
  const CoreOp& made = op(quotient);
  if (made.prim != Prim::kMul || fn == "round") return kNone;
  for (const auto& [x, inverse] : {std::pair(made.operands[0], made.operands[1]),
                                   std::pair(made.operands[1], made.operands[0])})
    if (is_named(op(inverse), "reciprocal") && !is_named(op(x), "reciprocal"))
      return map(fn == "floor" ? "div_floor" : "div_trunc", {x, op(inverse).operands[0]},
                 dtype(quotient), 0);
  return kNone;
}

// Of sign(x) and floor(|x|): x; else kNone.
CoreId Builder::rounded_towards_zero(CoreId sign, CoreId size) const {
  if (!is_named(op(sign), "sign") || !is_named(op(size), "floor")) return kNone;
  const CoreId of = op(size).operands[0];
  const bool same = is_named(op(of), "abs") && op(of).operands[0] == op(sign).operands[0];
  return same ? op(sign).operands[0] : kNone;
}

}  // namespace assay::lowering
