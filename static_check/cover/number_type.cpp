#include "static_check/cover/number_type.h"

#include <algorithm>

namespace assay {

bool alike(const NumberType& a, const NumberType& b) {
  if (is_floating(a.dtype) != is_floating(b.dtype) || is_bool(a.dtype) != is_bool(b.dtype))
    return false;
  return !is_integer(a.dtype) || a.dtype == b.dtype || (!a.may_wrap && !b.may_wrap);
}

bool is_of_type(const CleanExpr& expr, const NumberType& target,
                const std::function<NumberType(const CleanExpr& tensor)>& type_of) {
  using Kind = CleanExpr::Kind;
  if (expr.kind == Kind::kTensor) return alike(type_of(expr), target);
  if (expr.kind == Kind::kScale && expr.denominator != 1 && !is_floating(target.dtype))
    return false;
  // What wraps is of one width.
  NumberType inner = target;
  if (expr.kind == Kind::kSum || expr.kind == Kind::kScale) inner.may_wrap = true;
  return std::all_of(expr.operands.begin(), expr.operands.end(),
                     [&](const CleanExpr& operand) { return is_of_type(operand, inner, type_of); });
}

}  // namespace assay
