// Whether x is a number, in the three ways that programs ask it: x != x is isnan(x), |x| == inf is
// isinf(x), and isfinite(x) is that it is neither. Real arithmetic has no answer but "yes", which
// would take a flag that is not reduced over ranks for one that is: they stay functions of x.
#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {

CoreId Builder::asked_number(const std::string& fn, const std::vector<CoreId>& operands) {
  const auto flag = [&](const char* of, CoreId x, bool negated) {
    const CoreId result = map(of, {x}, DType::kBool, 0);
    return negated ? map("not", {result}, DType::kBool, 0) : result;
  };
  const CoreId x = operands[0];
  const bool asked = fn == "isfinite" || fn == "isnan" || fn == "isinf";
  if (!is_floating(dtype(x)))
    return asked ? constant(Rational(fn == "isfinite" ? 1 : 0), DType::kBool, Shape(shape(x)))
                 : kNone;
  if (fn == "isfinite")
    return map("and", {flag("isnan", x, true), flag("isinf", x, true)}, DType::kBool, 0);
  if ((fn != "eq" && fn != "ne") || op(x).prim == Prim::kConst) return kNone;
  if (operands[1] == x) return flag("isnan", x, fn == "eq");
  const CoreOp& limit = op(operands[1]);
  const bool is_infinite = limit.prim == Prim::kConst && limit.fn == "inf";
  if (!is_infinite || op(x).prim != Prim::kMap || op(x).fn != "abs") return kNone;
  return flag("isinf", op(x).operands[0], fn == "ne");
}

}  // namespace assay::lowering
