#include "static_check/checker/identity/cuts/defined.h"

#include <cmath>
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

namespace {

bool map_is_positive(const std::string& fn, size_t positive_operands, size_t operands) {
  static const std::set<std::string_view> kExponentials{"exp", "exp2", "cosh", "sigmoid"};
  static const std::set<std::string_view> kPowers{"reciprocal", "rsqrt", "sqrt", "pow", "minimum"};
  const reference::FunctionName function = reference::parse_function_name(fn);
  if (kExponentials.contains(function.name)) return true;
  if (kPowers.contains(function.name)) return positive_operands == operands;
  if (function.name == "maximum") return positive_operands > 0;
  if (function.name != "clamp") return false;
  const double least = function.number(0), most = function.number(1);  // NaN: none
  return least > 0 && (std::isnan(most) || most > 0);
}

}  // namespace

namespace {

// What an operator's results may be.
enum class Range { kAnything, kBelow /* minus infinity, or a number */, kNumber };

// Where some operands may be minus infinity.
Range range_of_below(const CoreOp& op, const std::vector<Range>& of) {
  switch (op.prim) {
    case Prim::kPermute:
    case Prim::kReshape:
    case Prim::kExpand:
    case Prim::kSlice:
    case Prim::kCat:
    case Prim::kKeep:
    case Prim::kReduceSum:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return Range::kBelow;
    case Prim::kLinear:
      for (size_t i = 0; i < op.operands.size(); ++i)
        if (of.at(static_cast<size_t>(op.operands[i])) == Range::kBelow &&
            !op.coefs.at(i).is_positive())
          return Range::kAnything;
      return Range::kBelow;
    case Prim::kMap: {
      static const std::set<std::string_view> kNumbers{"exp", "eq", "ne", "lt", "le", "gt", "ge"};
      const reference::FunctionName function = reference::parse_function_name(op.fn);
      if (kNumbers.contains(function.name)) return Range::kNumber;
      if (function.name == "clamp" && !std::isnan(function.number(0))) return Range::kNumber;
      const bool one_of = function.name == "maximum" || function.name == "minimum";
      return one_of ? Range::kBelow : Range::kAnything;
    }
    default:
      return Range::kAnything;
  }
}

// A logarithm or a quotient of a mask is no number where that is 0, which it often is.
bool map_of_masks_is_defined(const CoreOp& op, const std::vector<bool>& masks,
                             const std::vector<bool>& positive) {
  for (const CoreId operand : op.operands) {
    const auto at = static_cast<size_t>(operand);
    if (masks.at(at) && !positive.at(at)) return map_is_defined(op.fn, false);
  }
  return map_is_defined(op.fn, true);
}

Range range_of(const CoreOp& op, const std::vector<Range>& of, const std::vector<bool>& masks,
               const std::vector<bool>& positive) {
  if (op.prim == Prim::kConst && op.fn == "-inf") return Range::kBelow;
  const bool extremum = op.prim == Prim::kReduceMax || op.prim == Prim::kReduceMin;
  bool numbers = true, below = !extremum || element_count(op.shape) > 0;
  for (const CoreId operand : op.operands) {
    const Range range = of.at(static_cast<size_t>(operand));
    numbers = numbers && range == Range::kNumber;
    below = below && range != Range::kAnything;
  }
  if (!below) return Range::kAnything;
  if (!numbers) return range_of_below(op, of);
  const bool defined =
      op.prim == Prim::kMap ? map_of_masks_is_defined(op, masks, positive) : is_always_defined(op);
  return defined ? Range::kNumber : Range::kAnything;
}

}  // namespace

Numbers numbers_of(const CoreProgram& program) {
  const std::vector<bool> positive = always_positive(program);
  std::vector<Range> ranges;
  std::vector<bool> masks;  // made of flags and integers alone
  Numbers result;
  for (const CoreOp& op : program.ops) {
    ranges.push_back(range_of(op, ranges, masks, positive));
    bool mask = op.prim != Prim::kInput && op.prim != Prim::kRandom;
    for (const CoreId operand : op.operands) mask = mask && masks.at(static_cast<size_t>(operand));
    masks.push_back(mask || !is_floating(op.dtype));
    result.always.push_back(ranges.back() == Range::kNumber);
    bool of_numbers = result.always.back();
    for (const CoreId operand : op.operands)
      of_numbers = of_numbers && result.of_numbers.at(static_cast<size_t>(operand));
    result.of_numbers.push_back(of_numbers);
  }
  return result;
}

std::vector<bool> always_positive(const CoreProgram& program) {
  std::vector<bool> positive;
  for (const CoreOp& op : program.ops) {
    size_t count = 0;
    for (const CoreId operand : op.operands)
      count += positive.at(static_cast<size_t>(operand)) ? 1 : 0;
    const bool operands_are = count > 0 && count == op.operands.size();
    bool is = false;
    switch (op.prim) {
      case Prim::kConst:
        is = op.fn.empty() && op.constant.is_positive();
        break;
      case Prim::kMap:
        is = map_is_positive(op.fn, count, op.operands.size());
        break;
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
        is = operands_are;
        break;
      // Integers may wrap, and casts to them lose what is below 1.
      case Prim::kLinear:
        is = operands_are && is_floating(op.dtype);
        for (const Rational& coef : op.coefs) is = is && coef.is_positive();
        break;
      case Prim::kMul:
      case Prim::kCast:
        is = operands_are && is_floating(op.dtype);
        break;
      default:
        break;
    }
    positive.push_back(is);
  }
  return positive;
}

}  // namespace assay::checker::identity
