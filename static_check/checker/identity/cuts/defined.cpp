#include "static_check/checker/identity/cuts/defined.h"

#include <set>
#include <string_view>

#include "shared_ir/reference/element_functions.h"

namespace assay::checker::identity {

bool map_is_defined(const std::string& fn, bool known_positive) {
  static const std::set<std::string_view> kEverywhere{
      // continuous
      "abs", "atan", "clamp", "cos", "cosh", "elu", "erf", "erfc", "exp", "exp2", "expm1", "gelu",
      "gelu_slope", "hardsigmoid", "hardswish", "leaky_relu", "log_sigmoid", "maximum", "minimum",
      "mish", "relu", "sigmoid", "sigmoid_slope", "silu", "silu_slope", "sin", "sinh", "tanh",
      "tanh_slope",
      // with steps
      "and", "ceil", "eq", "floor", "ge", "gt", "le", "lt", "ne", "not", "or", "round", "sign",
      "trunc"};
  static const std::set<std::string_view> kOfPositive{"log",        "log10", "log1p", "log2",
                                                      "reciprocal", "rsqrt", "sqrt"};
  const reference::FunctionName function = reference::parse_function_name(fn);
  if (kEverywhere.contains(function.name)) return true;
  if (function.name == "pow" && function.attributes.size() == 1) {
    const double exponent = function.number(0);
    const bool natural = exponent > 0 && exponent < 8 && exponent == static_cast<int>(exponent);
    return natural || known_positive;
  }
  return known_positive && kOfPositive.contains(function.name);
}

bool is_always_defined(const CoreOp& op) {
  static const std::set<std::string_view> kBlocks{"argmax", "argmin",  "argsort", "cummax",
                                                  "cummin", "cumprod", "cumsum",  "flip",
                                                  "prod",   "sort"};
  switch (op.prim) {
    case Prim::kConst:
      return op.fn.empty();  // no infinity, and not NaN
    case Prim::kUninit:
      return false;
    case Prim::kBlock:
      return kBlocks.contains(reference::parse_function_name(op.fn).name);
    case Prim::kOpaque:
      return op.operands.empty();  // a table of constants
    default:
      return true;
  }
}

}  // namespace assay::checker::identity
