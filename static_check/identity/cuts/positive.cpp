#include "static_check/identity/cuts/positive.h"

#include <algorithm>
#include <string_view>

#include "shared_ir/reference/element_functions.h"

namespace assay::identity {
namespace {

constexpr std::string_view kPositiveMaps[] = {"cosh", "exp", "exp2", "sigmoid"};
constexpr std::string_view kPositiveOfPositive[] = {"minimum", "pow", "reciprocal", "rsqrt",
                                                    "sqrt"};

bool is_positive_map(const CoreOp& op, bool all, bool any) {
  const auto function = reference::parse_function_name(op.fn);
  const auto is = [&](std::string_view name) { return name == function.name; };
  if (is("clamp")) return function.number(0) > 0 && !(function.number(1) <= 0);
  if (is("maximum")) return any;
  return std::ranges::any_of(kPositiveMaps, is) ||
         (all && std::ranges::any_of(kPositiveOfPositive, is));
}

// Of integers what does not add up: a sum may wrap.
bool is_positive(const CoreOp& op, const std::vector<bool>& known) {
  const auto is = [&](CoreId operand) { return known[static_cast<size_t>(operand)]; };
  const bool any = std::ranges::any_of(op.operands, is),
             all = any && std::ranges::all_of(op.operands, is);
  switch (op.prim) {
    case Prim::kConst:
      return op.fn.empty() && op.constant.is_positive();
    case Prim::kPermute:
    case Prim::kReshape:
    case Prim::kExpand:
    case Prim::kSlice:
    case Prim::kCat:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return all;
    case Prim::kCast:
      return all && is_floating(op.dtype);
    case Prim::kMul:
      return all && is_floating(op.dtype);
    case Prim::kReduceSum:
      return all && is_floating(op.dtype) && element_count(op.shape) > 0;
    case Prim::kLinear:
      return all && is_floating(op.dtype) && std::ranges::all_of(op.coefs, &Rational::is_positive);
    case Prim::kMap:
      return is_positive_map(op, all, any);
    default:
      return false;
  }
}

}  // namespace

std::vector<bool> always_positive(const CoreProgram& program) {
  std::vector<bool> known;
  for (const CoreOp& op : program.ops) known.push_back(is_positive(op, known));
  return known;
}

}  // namespace assay::identity
