#include "shared_ir/lower/build/bounds/integer_bounds.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "shared_ir/cast.h"
#include "shared_ir/collective.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/whole_numbers.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

std::pair<double, double> range_of(DType dtype) {
  const auto [low, high] = integer_range(dtype);
  return {static_cast<double>(PlainInt{low}), static_cast<double>(PlainInt{high})};
}

bool gives_places(const std::string& fn) {
  static constexpr std::string_view kPlaces[] = {"argmax", "argmin", "argsort", "cummax_places",
                                                 "cummin_places"};
  return std::ranges::count(kPlaces, std::string_view(fn).substr(0, fn.find('('))) > 0;
}

}  // namespace

// The least power of two that is not below a size: sizes may be over symbols, doubles are not. One
// that is not the same at every instance is as large as the report says (all_sizes.cpp), or, where
// int32 counts, as this class says.
double IntegerBounds::power_above(const Int& size, DType dtype) {
  constexpr int kBits = 62, kBitsOfInt32 = 24;
  if (!is_number(size)) {
    if (dtype != DType::kInt32) return kLargestOpenSize;
    takes_sizes_as_small_ = true;
    return std::ldexp(1.0, kBitsOfInt32);
  }
  int bits = 0;
  while (bits < kBits && exceeds(size, Int{PlainInt{1} << bits})) ++bits;
  return std::ldexp(1.0, bits);
}

double IntegerBounds::count(const Int& size, DType dtype) {
  constexpr PlainInt kExact = PlainInt{1} << 53;
  if (!is_number(size) || exceeds(size, Int{kExact})) return power_above(size, dtype);
  return static_cast<double>(static_cast<PlainInt>(size));
}

bool IntegerBounds::fits(const CoreProgram& program, CoreId id) { return of(program, id).fits; }

bool IntegerBounds::wraps(const CoreProgram& program, CoreId id) { return of(program, id).wraps; }

bool IntegerBounds::is_exact_in(const CoreProgram& program, CoreId id, DType dtype) {
  const Bounds& bounds = of(program, id);
  const double largest = 2 / machine_epsilon(dtype);
  return bounds.fits && std::max(std::abs(bounds.low), std::abs(bounds.high)) <= largest;
}

void IntegerBounds::state(const CoreProgram& program, CoreId id, double low, double high) {
  of(program, id);
  Bounds& bounds = known_[static_cast<size_t>(id)];
  bounds = {low, high, true, false, bounds.constant};
}

bool IntegerBounds::are_negative(const CoreProgram& program, CoreId id) {
  const Bounds& bounds = of(program, id);
  return bounds.fits && bounds.high < 0;
}

std::optional<FewValues> IntegerBounds::few_values(const CoreProgram& program, CoreId id) {
  const Bounds& bounds = of(program, id);
  constexpr double kFar = 0x1p31;
  const double numbers = bounds.high - bounds.low + 1;
  if (!bounds.fits || bounds.constant || bounds.open || !(std::abs(bounds.low) < kFar) ||
      !(numbers >= 1 && numbers <= static_cast<double>(FewValues::kMost)))
    return std::nullopt;
  return FewValues{id, static_cast<PlainInt>(bounds.low), static_cast<PlainInt>(bounds.high)};
}

std::optional<std::pair<double, double>> IntegerBounds::limits(const CoreProgram& program,
                                                               CoreId id) {
  const Bounds& bounds = of(program, id);
  if (is_floating(program.ops[static_cast<size_t>(id)].dtype) || !bounds.fits) return std::nullopt;
  return std::pair{bounds.low, bounds.high};
}

bool IntegerBounds::is_constant(const CoreProgram& program, CoreId id) {
  return of(program, id).constant;
}

const IntegerBounds::Bounds& IntegerBounds::of(const CoreProgram& program, CoreId id) {
  while (known_.size() <= static_cast<size_t>(id)) {
    const CoreOp& op = program.ops[known_.size()];
    Bounds bounds = is_floating(op.dtype) ? Bounds{} : compute(program, op);
    bounds.constant = is_constant(op);
    bounds.open = is_open(program, op);
    known_.push_back(bounds);
  }
  return known_[static_cast<size_t>(id)];
}

bool IntegerBounds::is_constant(const CoreOp& op) const {
  const auto all_constant = [&] {
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (!operand(op, i).constant) return false;
    return true;
  };
  switch (op.prim) {
    case Prim::kConst:
    case Prim::kIota:
      return true;
    case Prim::kCat:
    case Prim::kLinear:
    case Prim::kMul:
    case Prim::kReduceSum:
    case Prim::kCast:
      return all_constant();
    default:
      return is_movement(op.prim) && all_constant();
  }
}

bool IntegerBounds::is_open(const CoreProgram& program, const CoreOp& op) const {
  if (op.prim == Prim::kIota) return !is_number(op.shape[0]);
  bool open = false;
  for (size_t i = 0; i < op.operands.size(); ++i) open = open || operand(op, i).open;
  if (op.prim != Prim::kReduceSum) return open;
  const Shape& from = program.ops[static_cast<size_t>(op.operands[0])].shape;
  return open || std::any_of(op.ints.begin(), op.ints.end(), [&](const Int& dim) {
           return !is_number(from[static_cast<size_t>(dim)]);
         });
}

bool IntegerBounds::depends_on_open_sizes(const CoreProgram& program, CoreId id) {
  return of(program, id).open;
}

IntegerBounds::Bounds IntegerBounds::sum(const CoreOp& op) const {
  Bounds result;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const double coef = op.coefs[i].to_double();
    const double a = coef * operand(op, i).low, b = coef * operand(op, i).high;
    result.low += std::min(a, b);
    result.high += std::max(a, b);
  }
  return result;
}

// Where the limits are in the wrong order, the upper one is meant.
IntegerBounds::Bounds IntegerBounds::clamped(const CoreOp& op) const {
  const auto fn = reference::parse_function_name(op.fn);
  Bounds result = operand(op, 0);
  if (!result.fits) std::tie(result.low, result.high) = range_of(op.dtype);
  for (double* end : {&result.low, &result.high}) {
    if (fn.text(0) != "none") *end = std::max(*end, fn.number(0));
    if (fn.text(1) != "none") *end = std::min(*end, fn.number(1));
  }
  return {result.low, result.high};
}

// Places in what the block reads as a whole.
IntegerBounds::Bounds IntegerBounds::places(const CoreProgram& program, const CoreOp& op) {
  const auto& dims = program.specs[static_cast<size_t>(op.spec)].operands[0];
  const Shape& shape = program.ops[static_cast<size_t>(op.operands[0])].shape;
  double places = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].whole) places *= count(shape[d], op.dtype);
  return {0, std::max(places - 1, 0.0)};
}

IntegerBounds::Bounds IntegerBounds::reduced(const CoreOp& op, const Shape& from) {
  double count = 1;
  bool any = true;  // the sum of none is 0
  for (const Int dim : op.ints) {
    const Int& size = from[static_cast<size_t>(dim)];
    count *= this->count(size, op.dtype);
    any = any && is_number(size) && exceeds(size, Int{0});
  }
  const Bounds& each = operand(op, 0);
  const double none = any ? each.low : 0;
  return {std::min({count * each.low, each.low, none}),
          std::max({count * each.high, each.high, none})};
}

IntegerBounds::Bounds IntegerBounds::moved(const CoreOp& op) const {
  Bounds result = operand(op, op.operands.size() - 1);
  if (op.prim == Prim::kKeep)
    return {std::min(result.low, 0.0), std::max(result.high, 0.0), result.fits, result.wraps};
  for (size_t i = 0; i + 1 < op.operands.size(); ++i) {
    result.low = std::min(result.low, operand(op, i).low);
    result.high = std::max(result.high, operand(op, i).high);
    result.fits = result.fits && operand(op, i).fits;
    result.wraps = result.wraps || operand(op, i).wraps;
  }
  return result;
}

IntegerBounds::Bounds IntegerBounds::compute(const CoreProgram& program, const CoreOp& op) {
  if (is_movement(op.prim)) return moved(op);
  const auto [low, high] = range_of(op.dtype);
  Bounds result{low, high};
  switch (op.prim) {
    case Prim::kConst: {
      const double value = op.constant.to_double();
      return {value, value};
    }
    case Prim::kIota:
      return {0, std::min(high, power_above(op.shape[0], op.dtype))};
    case Prim::kCat:
    case Prim::kKeep:
      return moved(op);
    case Prim::kLinear:
      result = sum(op);
      break;
    case Prim::kMul: {
      const Bounds &a = operand(op, 0), &b = operand(op, 1);
      std::tie(result.low, result.high) =
          std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      break;
    }
    case Prim::kReduceSum:
      result = reduced(op, program.ops[static_cast<size_t>(op.operands[0])].shape);
      break;
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return operand(op, 0);
    case Prim::kCast: {
      const CoreOp& from = program.ops[static_cast<size_t>(op.operands[0])];
      if (is_floating(from.dtype)) {
        const auto range = whole_range(program, op.operands[0]);
        if (range && has_bounds(*range, op.dtype)) return {range->low, range->high};
        return result;
      }
      return cast_keeps_values(from.dtype, op.dtype) ? operand(op, 0) : result;
    }
    case Prim::kCollective: {
      // What the other members give is not known here, but that it fits where the data only moves.
      const Collective& what = program.collectives[static_cast<size_t>(op.collective)];
      result.fits = what.reduce == Collective::Reduce::kMax ||
                    what.reduce == Collective::Reduce::kMin || !is_reduction(what.kind);
      return result;
    }
    case Prim::kOneHot:
      return {0, 1};
    case Prim::kBlock:
      return gives_places(op.fn) ? places(program, op) : result;
    case Prim::kMap:
      return op.fn.starts_with("clamp(") ? clamped(op) : result;
    default:
      return result;
  }
  // Doubles round at the ends of int64: what reaches them counts as beyond.
  const bool wide = op.dtype == DType::kInt64;
  result.fits =
      wide ? result.low > low && result.high < high : result.low >= low && result.high <= high;
  result.wraps = result.low >= high || result.high <= low;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    result.fits = result.fits && operand(op, i).fits;
    result.wraps = result.wraps || operand(op, i).wraps;
  }
  result.wraps = result.wraps && !result.fits;
  if (!result.fits) result.low = low, result.high = high;
  return result;
}

}  // namespace assay::lowering
