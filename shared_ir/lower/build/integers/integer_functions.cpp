// Functions of integers that are all made of few: programs write remainders, shifts and masks of
// bits for each other.
//
//   remainder(x, m) = x - m floor(x / m)
//   fmod(x, m)      = x - m div_trunc(x, m)
//   abs(x)          = x, less 2x where x < 0
//   sign(x)         = [x > 0] - [x < 0]
//
// Divisors that are too large to be factors of sums leave functions of their own.
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Factors of a sum multiply with those of the sums around it, and must stay within 64 bits when
// they do.
constexpr PlainInt kLargestFactor = PlainInt{1} << 30;

}  // namespace

// The same at every instance of a case with symbols.
std::optional<Int> Builder::constant_integer(CoreId id) const {
  if (!is_finite_constant(id) || !op(id).constant.is_integer()) return std::nullopt;
  const Int value = op(id).constant.numerator();
  return is_number(value) ? std::optional(value) : std::nullopt;
}

CoreId Builder::lies_within(CoreId id, const Int& low, const Int& high) {
  const auto [from, to] = integer_range_of(id);
  return lies_in(id, std::max(from, low), std::min(to, high));
}

CoreId Builder::truncated(const std::string& fn, CoreId x, CoreId other, const Int& by) {
  x = wrapped(x);
  if (by > 0 && integer_range_of(x).first >= 0)
    return fn == "div_trunc" ? quotient_down(x, by) : remainder(x, by);
  if (by == 1) return kNone;
  append(Prim::kMap, dtype(x), Shape(shape(x)), {x, other}).fn = "div_trunc";
  const CoreId quotient = last();
  if (fn == "div_trunc") return quotient;
  const Int most = (by > 0 ? by : -by) - 1;
  return lies_in(rest_of(x, quotient, by), -most, most);
}

// Of one integer; kNone where it is none of these. (Those of positions are left to whoever knows
// functions of positions.)
CoreId Builder::map_of_integer(const std::string& fn, CoreId x) {
  const DType type = dtype(x);
  if (const auto known = constant_integer(x); known && fn == "bitwise_not") {
    const Int ones = is_unsigned(type) ? integer_range(type).second : Int{-1};
    return constant(Rational(ones - *known), type, Shape(shape(x)));
  }
  if (fn == "bitwise_not") return inverted_bits(x);
  if ((fn != "abs" && fn != "sign") || bounds_.is_constant(program_, x)) return kNone;
  const CoreId zero = constant(Rational(0), type, Shape(shape(x)));
  const auto flag = [&](const char* of) { return map(of, {x, zero}, DType::kBool, 0); };
  if (fn == "abs") {
    if (is_unsigned(type)) return x;
    x = wrapped(x);
    return linear({x, keep(flag("lt"), x)}, {Rational(1), Rational(-2)});
  }
  const CoreId positive = cast(flag("gt"), type);
  if (is_unsigned(type)) return positive;
  return linear({positive, cast(flag("lt"), type)}, {Rational(1), Rational(-1)});
}

// kNone where it is none of these.
CoreId Builder::integer_map(const std::string& fn, const std::vector<CoreId>& operands) {
  if (operands.size() == 1) return map_of_integer(fn, operands[0]);
  if (operands.size() != 2 || dtype(operands[0]) != dtype(operands[1])) return kNone;
  CoreId x = operands[0], other = operands[1];
  const bool of_bits = fn == "bitwise_and" || fn == "bitwise_or" || fn == "bitwise_xor";
  if (of_bits && is_finite_constant(x)) std::swap(x, other);
  if (is_finite_constant(x)) return kNone;
  const auto by = constant_integer(other);
  if (!by)
    if (const CoreId pieces = map_of_pieces(fn, x, other); pieces != kNone) return pieces;
  if (!by) return of_bits && !is_finite_constant(other) ? combined_bits(fn, x, other) : kNone;
  if (const CoreId pieces = map_piece_by_piece(fn, x, *by); pieces != kNone) return pieces;
  if (of_bits) return masked_bits(fn, x, *by);
  if (fn == "shift_left" || fn == "shift_right") return shifted(fn == "shift_left", x, *by);
  const bool known = fn == "div_floor" || fn == "remainder" || fn == "div_trunc" || fn == "fmod";
  // The quotient by -1 may be beyond the range.
  if (!known || *by == 0 || *by == -1 || *by < -kLargestFactor || *by > kLargestFactor)
    return kNone;
  if (fn == "div_floor") return quotient_down(x, *by);
  if (fn == "remainder") {
    const CoreId rest = remainder(x, *by);
    if (rest != x && op(rest).prim == Prim::kLinear) rows_.insert(rest);
    return rest;
  }
  return truncated(fn, x, other, *by);
}

}  // namespace assay::lowering
