#include "static_check/checker/integers/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"

namespace assay::checker {
namespace {

using Fn = reference::FunctionName;

const CoreOp& made(const CoreProgram& program, const CoreOp& op, size_t operand) {
  return program.ops[static_cast<size_t>(op.operands[operand])];
}

bool moves(Prim prim) {
  return prim == Prim::kPermute || prim == Prim::kReshape || prim == Prim::kExpand ||
         prim == Prim::kSlice || prim == Prim::kCat;
}

// Limits of a clamp, of which none need be given.
bool are_whole(const Fn& clamp) {
  for (const size_t i : {size_t{0}, size_t{1}})
    if (clamp.text(i) != "none" && clamp.number(i) != std::floor(clamp.number(i))) return false;
  return true;
}

bool within(const Fn& clamp, DType type) {
  const auto [low, high] = integer_range(type);
  const double least = static_cast<double>(PlainInt{low});
  const double greatest = static_cast<double>(PlainInt{high});
  const double from = clamp.number(0), to = clamp.number(1);  // none: nan, which is not within
  return least <= from && from <= to && to <= greatest;
}

// Each has to hold of all operands, through which the numbers came.
template <class Holds>
bool of_all(const CoreProgram& program, const CoreOp& op, const Holds& holds) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (!holds(made(program, op, i))) return false;
  return true;
}

constexpr int kDeepest = 24;

bool are_integers(const std::vector<Rational>& coefs) {
  return std::all_of(coefs.begin(), coefs.end(),
                     [](const Rational& coef) { return coef.is_integer() && !coef.is_zero(); });
}

bool are_rounded(const CoreProgram& program, const CoreOp& op, int depth) {
  if (depth == kDeepest) return false;
  const auto operands_are = [&] {
    return of_all(program, op, [&](const CoreOp& x) { return are_rounded(program, x, depth + 1); });
  };
  if (moves(op.prim)) return operands_are();
  if (op.prim == Prim::kConst) return op.fn.empty() && op.constant.is_integer();
  if (op.prim == Prim::kLinear) return are_integers(op.coefs) && operands_are();
  if (op.prim == Prim::kCast)
    return is_floating(made(program, op, 0).dtype) ? is_floating(op.dtype) && operands_are() : true;
  if (op.prim != Prim::kMap || !is_floating(op.dtype)) return false;
  const Fn fn = reference::parse_function_name(op.fn);
  if (!fn.type.empty()) return false;
  static const std::set<std::string_view> kRounding{"round", "floor",     "ceil",     "trunc",
                                                    "sign",  "div_floor", "div_trunc"};
  if (kRounding.contains(fn.name)) return true;
  if (fn.name == "clamp") return are_whole(fn) && operands_are();
  return (fn.name == "maximum" || fn.name == "minimum") && operands_are();
}

struct Limits {
  double low, high;
};

Limits limits_of_type(DType type) {
  const auto [low, high] = integer_range(type);
  return {static_cast<double>(PlainInt{low}), static_cast<double>(PlainInt{high})};
}

// Of summands: constants, what is clamped from both sides, integers of a type.
std::optional<Limits> limits_of(const CoreProgram& program, const CoreOp& op, int depth) {
  if (depth == kDeepest) return std::nullopt;
  const auto of_operand = [&](size_t i) {
    return limits_of(program, made(program, op, i), depth + 1);
  };
  if (op.prim == Prim::kConst) {
    const double value = op.constant.to_double();
    return op.fn.empty() ? std::optional(Limits{value, value}) : std::nullopt;
  }
  if (op.prim == Prim::kCast) {
    const DType from = made(program, op, 0).dtype;
    return is_floating(from) ? of_operand(0) : std::optional(limits_of_type(from));
  }
  if (op.prim == Prim::kLinear) {
    Limits sum{0, 0};
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const auto limits = of_operand(i);
      if (!limits) return std::nullopt;
      const double a = op.coefs[i].to_double() * limits->low;
      const double b = op.coefs[i].to_double() * limits->high;
      sum.low += std::min(a, b);
      sum.high += std::max(a, b);
    }
    return sum;
  }
  if (moves(op.prim) && op.operands.size() == 1) return of_operand(0);
  if (op.prim != Prim::kMap) return std::nullopt;
  const Fn fn = reference::parse_function_name(op.fn);
  if (fn.name == "sign") return Limits{-1, 1};
  if (fn.name == "clamp" && fn.number(0) <= fn.number(1)) return Limits{fn.number(0), fn.number(1)};
  return std::nullopt;
}

bool are_limited(const CoreProgram& program, const CoreOp& op, DType type, int depth) {
  if (depth == kDeepest) return false;
  const auto is_limited = [&](const CoreOp& x) { return are_limited(program, x, type, depth + 1); };
  if (moves(op.prim)) return of_all(program, op, is_limited);
  if (op.prim == Prim::kConst) {
    const auto [low, high] = integer_range(type);
    const double value = op.constant.to_double();
    return op.fn.empty() && static_cast<double>(PlainInt{low}) <= value &&
           value <= static_cast<double>(PlainInt{high});
  }
  if (op.prim == Prim::kCast) {
    const DType from = made(program, op, 0).dtype;
    if (is_floating(from)) return is_floating(op.dtype) && is_limited(made(program, op, 0));
    return is_bool(from) || cast_keeps_values(from, type);
  }
  if (op.prim == Prim::kLinear) {
    const auto limits = limits_of(program, op, depth);
    const Limits of_type = limits_of_type(type);
    return limits && of_type.low <= limits->low && limits->high <= of_type.high;
  }
  if (op.prim != Prim::kMap) return false;
  const Fn fn = reference::parse_function_name(op.fn);
  if (fn.name == "sign") return true;
  if (fn.name == "clamp") return within(fn, type) || is_limited(made(program, op, 0));
  // Neither leaves the range of both.
  return (fn.name == "maximum" || fn.name == "minimum") && of_all(program, op, is_limited);
}

// Rounded, and limited by nothing: what lowering lists as within a long type.
bool are_unlimited(const CoreProgram& program, const CoreOp& op, int depth) {
  if (depth == kDeepest) return false;
  if (moves(op.prim) || (op.prim == Prim::kCast && is_floating(made(program, op, 0).dtype)))
    return of_all(program, op,
                  [&](const CoreOp& x) { return are_unlimited(program, x, depth + 1); });
  if (op.prim == Prim::kLinear)
    return !of_all(program, op,
                   [&](const CoreOp& x) { return !are_unlimited(program, x, depth + 1); });
  if (op.prim != Prim::kMap) return false;
  const std::string_view name = reference::parse_function_name(op.fn).name;
  return name == "round" || name == "floor" || name == "ceil" || name == "trunc" ||
         name == "div_floor" || name == "div_trunc";
}

}  // namespace

bool keeps_whole_numbers(const CoreProgram& program, const CoreOp& op) {
  if (!is_floating(made(program, op, 0).dtype) || is_floating(op.dtype) || is_bool(op.dtype))
    return false;
  const CoreOp& of = made(program, op, 0);
  const bool is_long = op.dtype == DType::kInt32 || op.dtype == DType::kInt64;
  return are_rounded(program, of, 0) &&
         (are_limited(program, of, op.dtype, 0) || (is_long && are_unlimited(program, of, 0)));
}

}  // namespace assay::checker
