// Comparisons of integers with constants that ask for one bit: x % 16 >= 8 and (x & 8) != 0 are
// whether floor(x / 8) is odd.
#include <algorithm>
#include <array>
#include <utility>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

constexpr std::array kComparisons = {"eq", "ne", "lt", "le", "gt", "ge"};

bool holds(const std::string& comparison, const Int& x, const Int& y) {
  if (comparison == "eq") return x == y;
  if (comparison == "ne") return x != y;
  if (comparison == "lt") return x < y;
  if (comparison == "le") return x <= y;
  if (comparison == "gt") return x > y;
  return x >= y;
}

}  // namespace

// g u + c, where u is 0 or 1; also of a sum between 0 and 2m that is compared with m: u is its
// quotient by m.
CoreId Builder::compared_bit(const std::string& fn, const std::vector<CoreId>& operands) {
  if (std::ranges::find(kComparisons, fn) == kComparisons.end() || operands.size() != 2)
    return kNone;
  const CoreId x = operands[0];
  const auto limit = constant_integer(operands[1]);
  if (!limit || !is_integer(dtype(x)) || bounds_.is_constant(program_, x)) return kNone;
  IntegerSum sum = sum_of(x);
  if (!bounds_.fits(program_, x) || sum.is_constant()) return kNone;
  const auto made_of_quotients = [&] {
    return std::ranges::any_of(
        sum.terms, [&](const auto& term) { return quotient_made(term.first).has_value(); });
  };
  if (!made_of_quotients()) return kNone;
  const auto range = range_of(sum);
  if (!range) return kNone;
  const auto flag = [&](bool value) {
    return constant(Rational(value ? 1 : 0), DType::kBool, Shape(shape(x)));
  };
  Int below = range->first, above = range->second;
  if (fn != "eq" && fn != "ne") {
    // From which number on the comparison comes out as it does at the end.
    const Int from = fn == "lt" || fn == "ge" ? *limit : *limit + 1;
    if (from <= below || from > above) return flag(holds(fn, below, *limit));
    const Int step = from - below;
    sum.constant -= below;
    const auto quotient = quotient_of(sum, step, like(x));
    const auto bit = quotient ? range_of(*quotient) : std::nullopt;
    if (!bit || bit->first != 0 || bit->second != 1) return kNone;
    return flag_of_bit(*quotient, x, holds(fn, above, *limit));
  }
  Int divisor = 0;
  for (const auto& [id, times] : sum.terms) divisor = common_divisor(divisor, times);
  if (above - below != divisor) {
    if (*limit < below || *limit > above) return flag(fn == "ne");
    return kNone;
  }
  if (*limit != below && *limit != above) return flag(fn == "ne");
  sum.constant -= below;
  const auto bit = quotient_of(sum, divisor, like(x));
  return bit ? flag_of_bit(*bit, x, (*limit == above) == (fn == "eq")) : kNone;
}

// Whether it is set, or is not, of a sum that is 0 or 1.
CoreId Builder::flag_of_bit(const IntegerSum& bit, CoreId like, bool set) {
  const CoreId number = lies_within(built(bit, dtype(like), Shape(shape(like))), 0, 1);
  append(Prim::kCast, DType::kBool, Shape(shape(like)), {number});
  const CoreId flag = last();
  return set ? flag : map("not", {flag}, DType::kBool, 0);
}

// The integer, 0 or 1, that a flag was made of; kNone of another flag.
CoreId Builder::bit_of_flag(CoreId flag) const {
  const CoreOp& made = op(flag);
  if (made.prim != Prim::kCast || !is_integer(dtype(made.operands[0]))) return kNone;
  const auto [low, high] = integer_range_of(made.operands[0]);
  return low >= 0 && high <= 1 ? made.operands[0] : kNone;
}

// A mask that is a bit times a constant, or a sum with one: the bit times the constant, and the
// rest that the mask keeps.
CoreId Builder::kept_constant(CoreId mask, CoreId x) {
  const CoreId bit = bit_of_flag(mask);
  if (bit == kNone) return kNone;
  const DType type = dtype(x);
  if (is_finite_constant(x)) return scale(cast(bit, type), op(x).constant);
  if (!is_integer(type) || !bounds_.fits(program_, x)) return kNone;
  IntegerSum sum = sum_of(x);
  const Int constant = std::exchange(sum.constant, 0);
  if (constant == 0 || sum.is_constant()) return kNone;
  const CoreId rest = keep(mask, built(sum, type, Shape(shape(x))));
  return linear({rest, cast(bit, type)}, {Rational(1), Rational(constant)});
}

}  // namespace assay::lowering
