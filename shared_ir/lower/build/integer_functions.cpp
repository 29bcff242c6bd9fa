// Functions of an integer and a constant that are all made of one, the quotient that is rounded
// down: programs write remainders, shifts and masks of the low bits for each other.
//
//   shift_right(x, k)       = floor(x / 2^k)
//   remainder(x, m)         = x - m floor(x / m)
//   bitwise_and(x, 2^k - 1) = remainder(x, 2^k), for negative x too: two's complement
//   bitwise_and(x, 2^k - 2^l) = remainder(x, 2^k) - remainder(x, 2^l), and so on for each run of
//   bits; of a mask with all high bits, x less what the other bits keep
//   bitwise_or(x, a)        = x + a - bitwise_and(x, a)
//   bitwise_xor(x, a)       = x + a - 2 bitwise_and(x, a)
//   shift_left(x, k)        = 2^k x, modulo the type's range as the product is
//   floor(floor(x / a) / b) = floor(x / ab), of positive a and b
//
// A shift by all bits or by a negative number, a mask of all bits and divisors that are too large
// to be factors of sums are none of these: they stay functions of their own.
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Factors of a sum multiply with those of the sums around it, and must stay within 64 bits when
// they do.
constexpr PlainInt kMostFactorBits = 30;
constexpr PlainInt kLargestFactor = PlainInt{1} << kMostFactorBits;

// The power of two that a mask of the low bits is one less than; nullopt for another number.
std::optional<Int> power_above_mask(const Int& mask) {
  Int power = 2;
  for (PlainInt k = 1; k <= kMostFactorBits; ++k, power *= 2)
    if (mask == power - 1) return power;
  return std::nullopt;
}

// Where runs of bits of a mask begin and end, from the lowest on: 0b110 is {1, 3}. nullopt of more
// than three runs, and of bits beyond those of factors.
std::optional<std::vector<Int>> runs_of_bits(Int mask) {
  constexpr size_t kMostEnds = 6;
  std::vector<Int> ends;
  bool inside = false;
  for (PlainInt k = 0; mask > 0 || inside; ++k) {
    const bool set = mask % 2 == 1;
    if (set != inside) ends.push_back(k);
    inside = set;
    mask = mask / 2;
    if (k > kMostFactorBits || ends.size() > kMostEnds) return std::nullopt;
  }
  return ends;
}

Int power_of_two(const Int& exponent) {
  Int power = 1;
  for (Int k = 0; k < exponent; k += 1) power *= 2;
  return power;
}

}  // namespace

// The same at every instance of a case with symbols.
std::optional<Int> Builder::constant_integer(CoreId id) const {
  if (!is_finite_constant(id) || !op(id).constant.is_integer()) return std::nullopt;
  const Int value = op(id).constant.numerator();
  return is_number(value) ? std::optional(value) : std::nullopt;
}

std::pair<Int, Int> Builder::integer_range_of(CoreId id) const {
  if (const auto known = integer_ranges_.find(id); known != integer_ranges_.end())
    return known->second;
  const CoreOp& made = op(id);
  const bool same = made.prim == Prim::kCast && is_integer(dtype(made.operands[0])) &&
                    cast_keeps_values(dtype(made.operands[0]), made.dtype);
  return same ? integer_range_of(made.operands[0]) : integer_range(made.dtype);
}

CoreId Builder::lies_in(CoreId id, const Int& low, const Int& high) {
  integer_ranges_.insert_or_assign(id, std::pair(low, high));
  bounds_.state(program_, id, Rational(low).to_double(), Rational(high).to_double());
  return id;
}

void Builder::add_terms(CoreId id, const Rational& times, std::map<CoreId, Rational>& sum) const {
  constexpr size_t kMostTerms = 16;
  const CoreOp& made = op(id);
  if (made.prim != Prim::kLinear || sum.size() + made.operands.size() > kMostTerms) {
    sum[id] = sum[id] + times;
    return;
  }
  for (size_t i = 0; i < made.operands.size(); ++i)
    add_terms(made.operands[i], times * made.coefs[i], sum);
}

// 2^k floor(y / 2^k) is in the range that y is in, whose ends 2^k divides.
CoreId Builder::multiple_of_quotient(CoreId x, const Int& by) const {
  if (op(x).prim != Prim::kLinear || by < 2 || !power_above_mask(by - 1)) return kNone;
  std::map<CoreId, Rational> sum;
  add_terms(x, Rational(1), sum);
  std::erase_if(sum, [](const auto& term) { return term.second.is_zero(); });
  if (sum.size() != 1 || !(sum.begin()->second == Rational(by))) return kNone;
  const CoreOp& made = op(sum.begin()->first);
  const bool quotient = made.prim == Prim::kMap && made.fn == "div_floor";
  return quotient && constant_integer(made.operands[1]) == by ? sum.begin()->first : kNone;
}

CoreId Builder::quotient_down(CoreId x, const Int& by) {
  if (by == 1) return x;
  if (const CoreId quotient = multiple_of_quotient(x, by); quotient != kNone) return quotient;
  x = wrapped(x);
  const auto [low, high] = integer_range_of(x);
  if (by > 1 && low >= 0 && high < by) return constant(Rational(0), dtype(x), Shape(shape(x)));
  const CoreOp& made = op(x);
  if (by > 1 && made.prim == Prim::kMap && made.fn == "div_floor")
    if (const auto inner = constant_integer(made.operands[1]);
        inner && *inner > 1 && *inner <= integer_range(dtype(x)).second / by)
      return quotient_down(made.operands[0], *inner * by);
  const CoreId divisor = constant(Rational(by), dtype(x), Shape(shape(x)));
  append(Prim::kMap, dtype(x), Shape(shape(x)), {x, divisor}).fn = "div_floor";
  return by > 1 ? lies_in(last(), floor_divide(low, by), floor_divide(high, by)) : last();
}

// Differences of unsigned integers wrap around zero.
CoreId Builder::sum_of_integers(std::vector<CoreId> operands, const std::vector<Rational>& coefs) {
  const DType type = dtype(operands[0]);
  if (is_unsigned(type))
    for (CoreId& operand : operands) operand = cast(operand, DType::kInt64);
  return cast(linear(operands, coefs), type);
}

CoreId Builder::rest_of(CoreId x, CoreId quotient, const Int& by) {
  if (is_finite_constant(quotient) && op(quotient).constant.is_zero()) return x;
  return sum_of_integers({x, quotient}, {Rational(1), Rational(-by)});
}

CoreId Builder::remainder(CoreId x, const Int& by) {
  if (by == 1) return constant(Rational(0), dtype(x), Shape(shape(x)));
  x = wrapped(x);
  const CoreId rest = rest_of(x, quotient_down(x, by), by);
  if (rest == x) return x;
  return by > 0 ? lies_in(rest, 0, by - 1) : lies_in(rest, by + 1, 0);
}

// What bits of the mask, which is not negative, keep of x; kNone where it has too many runs of
// them.
CoreId Builder::kept_bits(CoreId x, const Int& mask) {
  const auto ends = runs_of_bits(mask);
  const Int high = integer_range(dtype(x)).second;
  if (!ends || ends->empty() || power_of_two(ends->back()) > high) return kNone;
  if (ends->size() == 2 && ends->front() == 0) return remainder(x, mask + 1);
  std::vector<CoreId> parts;
  std::vector<Rational> signs;
  for (size_t i = 0; i < ends->size(); ++i) {
    if ((*ends)[i] == 0) continue;
    parts.push_back(remainder(x, power_of_two((*ends)[i])));
    signs.emplace_back(i % 2 == 0 ? -1 : 1);
  }
  return lies_in(sum_of_integers(std::move(parts), signs), 0, mask);
}

CoreId Builder::masked_bits(const std::string& fn, CoreId x, const Int& mask) {
  const auto [low, high] = integer_range(dtype(x));
  if (mask < -2 * Int{kLargestFactor}) return kNone;
  const bool negative = mask < 0;
  const Int bits = negative ? -mask - 1 : mask;
  if (bits == 0 || bits > high) return kNone;
  x = wrapped(x);
  const CoreId part = kept_bits(x, bits);
  if (part == kNone) return kNone;
  if (fn == "bitwise_and")
    return negative ? lies_in(sum_of_integers({x, part}, {Rational(1), Rational(-1)}), low, high)
                    : part;
  // x + mask - (x & mask), or less it twice, where x & mask is x - part for a negative mask.
  const CoreId beside = constant(Rational(mask), dtype(x), Shape(shape(x)));
  const Int times = fn == "bitwise_or" ? 1 : 2;
  return lies_in(
      sum_of_integers({x, beside, part}, {Rational(negative ? 1 - times : Int{1}), Rational(1),
                                          Rational(negative ? times : -times)}),
      low, high);
}

CoreId Builder::shifted(bool left, CoreId x, const Int& by) {
  const Int bits = 8 * byte_size(dtype(x)) - (is_unsigned(dtype(x)) ? 0 : 1);
  if (by < 0 || by >= bits) return kNone;
  if (!left) return quotient_down(x, power_of_two(by));
  return by <= kMostFactorBits ? scale(x, Rational(power_of_two(by))) : kNone;
}

// kNone where it is none of these.
CoreId Builder::integer_map(const std::string& fn, const std::vector<CoreId>& operands) {
  if (operands.size() != 2 || dtype(operands[0]) != dtype(operands[1])) return kNone;
  CoreId x = operands[0], other = operands[1];
  const bool of_bits = fn == "bitwise_and" || fn == "bitwise_or" || fn == "bitwise_xor";
  if (of_bits && is_finite_constant(x)) std::swap(x, other);
  const auto by = constant_integer(other);
  if (!by || is_finite_constant(x)) return kNone;
  if (of_bits) return masked_bits(fn, x, *by);
  if (fn == "shift_left" || fn == "shift_right") return shifted(fn == "shift_left", x, *by);
  const bool known = fn == "div_floor" || fn == "remainder" || fn == "div_trunc" || fn == "fmod";
  // The quotient by -1 may be beyond the range.
  if (!known || *by == 0 || *by == -1 || *by < -kLargestFactor || *by > kLargestFactor)
    return kNone;
  if (fn == "div_floor") return quotient_down(x, *by);
  if (fn == "remainder") return remainder(x, *by);
  x = wrapped(x);
  if (*by > 0 && integer_range_of(x).first >= 0)
    return fn == "div_trunc" ? quotient_down(x, *by) : remainder(x, *by);
  if (fn == "div_trunc" || *by == 1) return kNone;
  append(Prim::kMap, dtype(x), Shape(shape(x)), {x, other}).fn = "div_trunc";
  const Int most = (*by > 0 ? *by : -*by) - 1;
  return lies_in(rest_of(x, last(), *by), -most, most);
}

}  // namespace assay::lowering
