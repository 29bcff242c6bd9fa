// Functions that are written in several ways, under one name.
#include <fmt/format.h>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {

// The one function of several names; kNone for another.
CoreId Builder::normal_map(const std::string& fn, const std::vector<CoreId>& operands,
                           DType dtype) {
  if (is_integer(dtype) && !is_bool(dtype) && this->dtype(operands[0]) == dtype)
    return integer_map(fn, operands);
  if (is_bool(dtype)) {
    const bool of_flags = is_bool(this->dtype(operands[0])) && operands.size() == 2;
    if (of_flags && fn == "maximum") return map("or", operands, dtype, 0);
    if (of_flags && fn == "minimum") return map("and", operands, dtype, 0);
    if (const CoreId flag = compared_bit(fn, operands); flag != kNone) return flag;
    return asked_number(fn, operands);
  }
  if (!is_floating(dtype) || this->dtype(operands[0]) != dtype) return kNone;
  if (const CoreId rounded = rounding(fn, operands, dtype); rounded != kNone) return rounded;
  if (fn == "clamp(0,none)") return map("relu", operands, dtype, 0);
  if (fn == "pow(2)") return mul(operands[0], operands[0]);
  if (fn == "silu") return mul(operands[0], map("sigmoid", operands, dtype, 0));
  if (fn == "minimum" && operands.size() == 2) {  // of -x and -y: the maximum of x and y, negated
    const CoreId x = negated(operands[0]), y = negated(operands[1]);
    if (x != kNone && y != kNone) return scale(map("maximum", {x, y}, dtype, 0), -1);
  }
  return kNone;
}

// x where the operator is -x; else kNone.
CoreId Builder::negated(CoreId id) const {
  const CoreOp& made = op(id);
  const bool minus =
      made.prim == Prim::kLinear && made.operands.size() == 1 && made.coefs[0] == Rational(-1);
  return minus ? made.operands[0] : kNone;
}

// Integers raised to integers by way of floating numbers: over the real numbers the power that is
// cut to an integer, which is 0 for most negative exponents, is that of integers.
CoreId Builder::integer_power(CoreId x, DType to) {
  const CoreOp& power = op(x);
  if (power.prim != Prim::kMap || power.fn != "pow" || power.operands.size() != 2) return kNone;
  std::vector<CoreId> integers;
  for (const CoreId operand : power.operands) {
    if (op(operand).prim != Prim::kCast || dtype(op(operand).operands[0]) != to) return kNone;
    integers.push_back(op(operand).operands[0]);
  }
  note(
      fmt::format("powers of integers that are computed in {} are exact, and 0 is raised to no "
                  "negative number",
                  to_string(dtype(x))));
  return map("pow", integers, to, 0);
}

}  // namespace assay::lowering
