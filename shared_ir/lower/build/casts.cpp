// Conversions between types.
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/whole_numbers.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// What a floating number beyond the range of the integers becomes is for the machine to say.
bool becomes_integer(const Rational& value, DType from, DType to) {
  if (!value.is_integer() || !is_integer(to)) return false;
  if (!is_floating(from)) return true;
  const auto [low, high] = integer_range(to);
  return low <= value.numerator() && value.numerator() <= high;
}

}  // namespace

void Builder::note_rounded(const Rational& value, DType dtype, bool stored) {
  if (!is_floating(dtype)) return;
  const double number = value.to_double(), held = nearest_number(number, dtype);
  if (held == number) return;
  const auto taken = [&] { return rational_from_double(number).rounded; };
  if (value.is_integer() || !is_in_range(number, dtype) || (stored && !taken()))
    note(fmt::format("the constant {} is taken as it is, which {} rounds to {}", number,
                     to_string(dtype), held));
}

CoreId Builder::cast(CoreId x, DType to) {
  DType from = dtype(x);
  if (from == to) return x;
  if (is_integer(to))
    if (const CoreId power = integer_power(x, to); power != kNone) return power;
  if (is_bool(from) && is_integer(to))
    if (const CoreId bit = bit_of_flag(x); bit != kNone) return cast(bit, to);
  if (is_float8(to) && !cast_keeps_values(from, to)) return map(cast_function(to), {x}, to, 0);
  if (op(x).prim == Prim::kConst && is_floating(to)) {
    const double number = op(x).constant.to_double();
    if (op(x).fn.empty() && !is_in_range(number, to))
      return constant(nearest_number(number, to), to, Shape(shape(x)));
    // A constant integer is rounded as it is; what a program writes down is meant as it is written.
    if (is_integer(from) && op(x).fn.empty()) {
      const double held = nearest_number(number, to);
      if (std::abs(held) < 0x1p63 && !(Rational(static_cast<Int>(held)) == op(x).constant))
        return constant(Rational(static_cast<Int>(held)), to, Shape(shape(x)));
    }
    note_rounded(op(x).constant, to, true);
    return same_constant(x, to, shape(x));
  }
  if (is_finite_constant(x) && becomes_integer(op(x).constant, from, to))
    return constant(op(x).constant, to, Shape(shape(x)));
  // A running sum wraps in fewer bits as its elements do.
  if (op(x).prim == Prim::kBlock && is_integer(from) && is_integer(to) && !is_bool(to) &&
      byte_size(to) <= byte_size(from) &&
      reference::parse_function_name(op(x).fn).name == "cumsum") {
    const CoreOp made = op(x);  // a copy: what is built moves the original
    return block("cumsum", BlockSpec(program_.specs[static_cast<size_t>(made.spec)]),
                 {cast(made.operands[0], to)}, to, made.shape, made.linear);
  }
  // Fewer bits are those of the sum that did not wrap; a number reads all of them.
  if (is_integer(from) && (is_floating(to) || is_bool(to))) x = wrapped(x);
  if (is_integer(from) && is_floating(to) && !bounds_.is_exact_in(program_, x, to)) {
    // No assumption that the program's own numbers contradict: they are rounded. (At sizes that are
    // not given, float32 is taken to hold them.)
    const bool open = byte_size(to) >= 4 && bounds_.depends_on_open_sizes(program_, x);
    if (bounds_.is_constant(program_, x) && !open) return map(cast_function(to), {x}, to, 0);
    note(fmt::format("casts from {} to {} are taken as exact", to_string(from), to_string(to)));
  }
  // More bits are those of what the type holds, those of the sign in front of it.
  if (is_integer(from) && is_integer(to) && byte_size(to) > byte_size(from)) x = unwrapped(x);
  // The fraction is cut off: in one form, what a function has made an integer where that tells
  // more.
  if (is_floating(from) && is_integer(to)) x = cut_off(x, to);
  // Integers that came by way of floating numbers: what is too large is no integer of the type.
  if (is_floating(from) && is_integer(to) && !is_bool(to) && holds_wider_integers(x, to)) {
    if (bounds_.is_constant(program_, x)) return map(cast_function(to), {x}, to, 0);
    note(
        fmt::format("conversions from {} to {} stay in its range", to_string(from), to_string(to)));
  }
  // Nor is one that a function has made an integer, and which may be beyond the type.
  if (is_floating(from) && is_integer(to) && !bounds_.is_constant(program_, x))
    if (const auto range = whole_range(program_, x); range && !has_bounds(*range, to))
      note(fmt::format("conversions from {} to {} stay in its range", to_string(from),
                       to_string(to)));
  if (is_floating(from) && is_floating(to) && machine_epsilon(to) > machine_epsilon(from))
    note(fmt::format("casts from {} to {} are taken as exact", to_string(from), to_string(to)));
  append(Prim::kCast, to, shape(x), {x});
  return last();
}

CoreId Builder::cut_off(CoreId x, DType to) {
  const bool is_long = to == DType::kInt32 || to == DType::kInt64;
  const CoreOp& made = op(x);
  const bool cut = made.prim == Prim::kMap && made.fn == "trunc";
  if (!is_long && cut && !whole_range(program_, made.operands[0])) return made.operands[0];
  if (!is_long || cut || bounds_.is_constant(program_, x) || whole_range(program_, x)) return x;
  return map("trunc", {x}, dtype(x), 0);
}

bool Builder::holds_wider_integers(CoreId x, DType to) const {
  std::vector<CoreId> open{x};
  std::set<CoreId> seen;
  while (!open.empty()) {
    const CoreId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const CoreOp& made = op(id);
    if (made.prim == Prim::kCast && is_integer(dtype(made.operands[0]))) {
      if (!cast_keeps_values(dtype(made.operands[0]), to)) return true;
      continue;
    }
    // Other functions of floating numbers are no integers.
    if (made.prim != Prim::kMap && made.prim != Prim::kBlock && made.prim != Prim::kOpaque)
      open.insert(open.end(), made.operands.begin(), made.operands.end());
  }
  return false;
}

}  // namespace assay::lowering
