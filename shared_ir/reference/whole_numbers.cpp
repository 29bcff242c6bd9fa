#include "shared_ir/reference/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Operators that are looked at for one.
constexpr int kMostOperators = 64;

class Search {
 public:
  explicit Search(const CoreProgram& program) : program_(program) {}

  std::optional<WholeRange> of(CoreId id) {
    if (--left_ < 0) return std::nullopt;
    const CoreOp& op = program_.ops[static_cast<size_t>(id)];
    switch (op.prim) {
      case Prim::kConst: {
        if (!op.constant.is_integer() || !op.fn.empty()) return std::nullopt;
        const double value = op.constant.to_double();
        return WholeRange{value, value};
      }
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
        return of(op.operands[0]);
      case Prim::kCat:
        return of_all(op);
      case Prim::kCast:
        return of_cast(op);
      case Prim::kMap:
        return of_map(op);
      case Prim::kLinear:
        return of_sum(op);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<WholeRange> of_all(const CoreOp& op) {
    std::optional<WholeRange> all;
    for (const CoreId operand : op.operands) {
      const auto range = of(operand);
      if (!range) return std::nullopt;
      all = all ? WholeRange{std::min(all->low, range->low), std::max(all->high, range->high)}
                : *range;
    }
    return all;
  }

  std::optional<WholeRange> of_cast(const CoreOp& op) {
    const DType from = program_.ops[static_cast<size_t>(op.operands[0])].dtype;
    if (is_floating(from)) return is_floating(op.dtype) ? of(op.operands[0]) : std::nullopt;
    if (is_bool(from)) return WholeRange{0, 1};
    const auto [low, high] = integer_range(from);
    return WholeRange{static_cast<double>(PlainInt{low}), static_cast<double>(PlainInt{high})};
  }

  std::optional<WholeRange> of_sum(const CoreOp& op) {
    WholeRange sum{0, 0};
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const double times = op.coefs[i].to_double();
      const auto range = op.coefs[i].is_integer() ? of(op.operands[i]) : std::nullopt;
      if (!range || times == 0) return std::nullopt;
      sum.low += times * (times > 0 ? range->low : range->high);
      sum.high += times * (times > 0 ? range->high : range->low);
    }
    return sum;
  }

  std::optional<WholeRange> of_map(const CoreOp& op) {
    const auto fn = reference::parse_function_name(op.fn);
    if (!fn.type.empty() || !is_floating(op.dtype)) return std::nullopt;
    if (fn.name == "round" || fn.name == "floor" || fn.name == "ceil" || fn.name == "trunc" ||
        fn.name == "div_floor" || fn.name == "div_trunc")
      return WholeRange{-kInfinity, kInfinity};
    if (fn.name == "sign") return WholeRange{-1, 1};
    if (fn.name == "clamp") {
      const double low = bound(fn, 0, -kInfinity), high = bound(fn, 1, kInfinity);
      const auto range = of(op.operands[0]);
      if (!range || !is_whole(low) || !is_whole(high) || low > high) return std::nullopt;
      return WholeRange{std::clamp(range->low, low, high), std::clamp(range->high, low, high)};
    }
    const bool greatest = fn.name == "maximum";
    if (!greatest && fn.name != "minimum") return std::nullopt;
    const auto x = of(op.operands[0]), y = of(op.operands[1]);
    if (!x || !y) return std::nullopt;
    return greatest ? WholeRange{std::max(x->low, y->low), std::max(x->high, y->high)}
                    : WholeRange{std::min(x->low, y->low), std::min(x->high, y->high)};
  }

  static double bound(const reference::FunctionName& fn, size_t i, double none) {
    return fn.text(i) == "none" ? none : fn.number(i);
  }
  static bool is_whole(double x) { return std::isinf(x) || x == std::floor(x); }

  const CoreProgram& program_;
  int left_ = kMostOperators;
};

}  // namespace

std::optional<WholeRange> whole_range(const CoreProgram& program, CoreId id) {
  return Search(program).of(id);
}

bool has_bounds(const WholeRange& range, DType to) {
  const auto [low, high] = integer_range(to);
  return range.low >= static_cast<double>(PlainInt{low}) &&
         range.high <= static_cast<double>(PlainInt{high});
}

bool cast_keeps_whole_numbers(const CoreProgram& program, CoreId id, DType to) {
  const DType from = program.ops[static_cast<size_t>(id)].dtype;
  if (!is_floating(from) || is_floating(to) || is_bool(to)) return false;
  const auto range = whole_range(program, id);
  return range && (has_bounds(*range, to) || is_taken_to_fit(*range, to));
}

bool is_taken_to_fit(const WholeRange& range, DType to) {
  return std::isinf(range.low) && std::isinf(range.high) &&
         (to == DType::kInt32 || to == DType::kInt64);
}

}  // namespace assay
