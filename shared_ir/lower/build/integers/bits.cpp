// Bitwise functions and shifts of integers as sums.
//
//   bitwise_not(x)                = -1 - x, of unsigned integers the largest less x
//   bitwise_or(x, y)              = x + y - bitwise_and(x, y)
//   bitwise_xor(x, y)             = x + y - 2 bitwise_and(x, y)
//   bitwise_and(x, 2^k - 2^l)     = remainder(x, 2^k) - remainder(x, 2^l), and so on for each run
//   of
//                                   bits; of a mask with all high bits, x less what the others keep
//   bitwise_and(x, y)             = 0       where one of both is below 2^k, which divides the other
//   bitwise_and(x, -[flag])       = x where the flag is set
//   shift_right(x, k)             = floor(x / 2^k)
//   shift_right(x, all but one)   = -[x < 0]
//   shift_left(x, k)              = 2^k x, modulo the type's range as the product is
//
// A shift by all bits or by a negative number and a mask of all bits stay functions of their own.
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

constexpr PlainInt kMostFactorBits = 30;

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

Int largest_of(DType dtype) { return integer_range(dtype).second; }

}  // namespace

bool Builder::is_power_of_two(const Int& number) {
  Int power = 2;
  for (PlainInt k = 1; k <= kMostFactorBits; ++k, power *= 2)
    if (number == power) return true;
  return false;
}

// What bits of the mask, which is not negative, keep of x; nullopt where it has too many runs of
// them.
std::optional<IntegerSum> Builder::kept_bits(CoreId x, const Int& mask) {
  const auto ends = runs_of_bits(mask);
  if (!ends || ends->empty() || power_of_two(ends->back()) > largest_of(dtype(x)))
    return std::nullopt;
  IntegerSum kept;
  for (size_t i = 0; i < ends->size(); ++i) {
    if ((*ends)[i] == 0) continue;
    const auto part = remainder_of(x, power_of_two((*ends)[i]));
    if (!part) return std::nullopt;
    kept.add(*part, i % 2 == 0 ? -1 : 1);
  }
  return kept.is_small() ? std::optional(kept) : std::nullopt;
}

CoreId Builder::masked_bits(const std::string& fn, CoreId x, const Int& mask) {
  constexpr PlainInt kLargest = PlainInt{1} << 31;
  const auto [low, high] = integer_range(dtype(x));
  if (mask < -kLargest) return kNone;
  const bool negative = mask < 0;
  const Int bits = negative ? -mask - 1 : mask;
  if (bits == 0 || bits > high) return kNone;
  if (fn != "bitwise_and" || negative) x = wrapped(x);
  const auto part = kept_bits(x, bits);
  if (!part) return kNone;
  const DType type = dtype(x);
  const Shape like(shape(x));
  if (fn == "bitwise_and" && !negative) {
    const CoreId kept = built(*part, type, like);
    return is_finite_constant(kept) ? kept : lies_within(kept, 0, mask);
  }
  // x + mask - (x & mask), or less it twice, where x & mask is x - part for a negative mask.
  IntegerSum result = sum_of(x);
  if (fn == "bitwise_and") {
    result.add(*part, -1);
  } else {
    const Int times = fn == "bitwise_or" ? 1 : 2;
    if (negative) result = result.times(1 - times);
    result.constant += mask;
    result.add(*part, negative ? times : -times);
  }
  if (!result.is_small()) return kNone;
  const CoreId made = built(result, type, like);
  return is_finite_constant(made) ? made : lies_within(made, low, high);
}

CoreId Builder::shifted(bool left, CoreId x, const Int& by) {
  const Int bits = 8 * byte_size(dtype(x)) - (is_unsigned(dtype(x)) ? 0 : 1);
  if (left) {
    if (by < 0 || by >= bits || by > kMostFactorBits) return kNone;
    return scale(x, Rational(power_of_two(by)));
  }
  if (by == bits && !is_unsigned(dtype(x))) {
    const CoreId zero = constant(Rational(0), dtype(x), Shape(shape(x)));
    return scale(cast(map("lt", {x, zero}, DType::kBool, 0), dtype(x)), -1);
  }
  if (by < 0 || by >= bits) return kNone;
  return quotient_down(x, power_of_two(by));
}

// The bits of a negative sum are those that the sum of the other sign, less 1, has not.
BitForm Builder::bit_form(CoreId x) {
  x = common_.first(program_, x);
  if (const auto known = bit_forms_.find(x); known != bit_forms_.end()) return known->second;
  const PlainInt bits = 8 * static_cast<PlainInt>(byte_size(dtype(x)));
  if (is_unsigned(dtype(x)) || op(x).prim != Prim::kLinear) return BitForm::of(wrapped(x));
  IntegerSum sum = sum_modulo(x, bits);
  if (sum.is_constant() || sum.terms.begin()->second > 0 || as_flag_mask(sum))
    return BitForm::of(wrapped(x));
  sum = sum.times(-1);
  sum.constant -= 1;
  const CoreId other = common_.first(program_, built(sum, dtype(x), Shape(shape(x))));
  return BitForm::of(common_.first(program_, wrapped(other))).negated();
}

// The flag f of a sum -f.
std::optional<CoreId> Builder::as_flag_mask(const IntegerSum& sum) const {
  if (sum.terms.size() != 1 || sum.constant != 0 || !(sum.terms.begin()->second == -1))
    return std::nullopt;
  const CoreOp& made = op(sum.terms.begin()->first);
  if (made.prim != Prim::kCast || !is_bool(dtype(made.operands[0]))) return std::nullopt;
  return made.operands[0];
}

// Whether no place has a bit of both set.
bool Builder::are_disjoint(CoreId a, CoreId b) {
  const auto is_below = [&](CoreId x, CoreId y) {
    const auto [low, high] = integer_range_of(x);
    if (low < 0) return false;
    const IntegerSum sum = sum_of(y);
    Int divisor = sum.constant;
    for (const auto& [id, times] : sum.terms) divisor = common_divisor(divisor, times);
    for (Int power = 2; power <= PlainInt{1} << kMostFactorBits; power *= 2)
      if (high < power) return divisor % power == 0;
    return false;
  };
  return is_below(a, b) || is_below(b, a);
}

// The bitwise "and" of all.
CoreId Builder::all_bits_of(const std::set<CoreId>& of) {
  const CoreId first = *of.begin();
  for (const CoreId a : of)
    for (const CoreId b : of)
      if (a < b && are_disjoint(a, b))
        return constant(Rational(0), dtype(first), Shape(shape(first)));
  std::vector<CoreId> flags;
  CoreId all = kNone;
  for (const CoreId x : of) {
    if (const auto flag = as_flag_mask(sum_of(x)); flag && (all != kNone || x != *of.rbegin())) {
      flags.push_back(*flag);
    } else if (all == kNone) {
      all = x;
    } else {
      append(Prim::kMap, dtype(first), Shape(shape(first)), {all, x}).fn = "bitwise_and";
      all = common_.first(program_, last());
    }
  }
  for (const CoreId flag : flags) all = keep(flag, all);
  return all;
}

// kNone where they are functions of too many integers.
CoreId Builder::combined_bits(const std::string& fn, CoreId x, CoreId y) {
  const DType type = dtype(x);
  const Shape like(shape(x));
  const BitForm a = bit_form(x), b = bit_form(y);
  BitForm result = a.times(b);
  if (fn != "bitwise_and") {
    BitForm sum = a;
    sum.add(b, 1);
    sum.add(result, fn == "bitwise_or" ? -1 : -2);
    result = sum;
  }
  return built_of_bits(result, type, like);
}

CoreId Builder::built_of_bits(const BitForm& form, DType type, const Shape& like) {
  if (!form.is_small()) return kNone;
  IntegerSum sum;
  for (const auto& [product, times] : form.products) {
    if (product.empty())
      sum.constant += times * (is_unsigned(type) ? largest_of(type) : Int{-1});
    else
      sum.add(sum_of(all_bits_of(product)), times);
  }
  if (!sum.is_small()) return kNone;
  const CoreId made = built(sum, type, like);
  if (is_finite_constant(made)) return made;
  const auto [low, high] = integer_range(type);
  bit_forms_.try_emplace(common_.first(program_, made), form);
  return lies_within(made, low, high);
}

// Of a sum that may wrap, as a sum that may.
CoreId Builder::inverted_bits(CoreId x) {
  const DType type = dtype(x);
  const Shape like(shape(x));
  if (!is_unsigned(type) && !bounds_.fits(program_, x)) {
    const CoreId ones = constant(Rational(-1), type, like);
    return linear({x, ones}, {Rational(-1), Rational(1)});
  }
  return built_of_bits(bit_form(x).negated(), type, like);
}

}  // namespace assay::lowering
