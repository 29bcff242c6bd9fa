// Integers divided by constants: floor(s / m) of a sum s in one form.
//
//   floor((s + m t) / m)      = floor(s / m) + t
//   floor((-s + r) / m)       = -floor((s - r + m - 1) / m)
//   floor((g s + r) / g m)    = floor((s + floor(r / g)) / m)
//   floor((g s + t) / g m)    = floor(s / m)                      0 <= t < g
//   floor((2s + m) / 2m)      = floor(2s / m) - floor(s / m)
//   floor(s / m)                  = floor(s / 2^k)          -2^k <= s < 2^k, where that is less
//   floor((floor(s / a) + r) / m) = floor((s + a r) / a m)
//
// Of a sum that wraps around in n bits, floor(2^k s / 2^k) is s modulo 2^(n - k), with the sign
// that n - k bits give it.
//
// A divisor that is too large to be a factor of sums leaves a function of its own.
#include <algorithm>
#include <utility>
#include <vector>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

constexpr PlainInt kLargestDivisor = PlainInt{1} << 30;

// Takes out what `by` divides, whose quotient it returns.
IntegerSum take_multiples(IntegerSum& of, const Int& by) {
  IntegerSum quotient, rest;
  for (const auto& [id, times] : of.terms) {
    if (times % by == 0)
      quotient.add(id, times / by);
    else
      rest.add(id, times);
  }
  quotient.constant = floor_divide(of.constant, by);
  rest.constant = of.constant - by * quotient.constant;
  of = rest;
  return quotient;
}

void reduce_fraction(IntegerSum& of, Int& by) {
  Int divisor = by;
  for (const auto& [id, times] : of.terms) divisor = common_divisor(divisor, times);
  if (divisor == 1) return;
  for (auto& [id, times] : of.terms) times /= divisor;
  of.constant = floor_divide(of.constant, divisor);
  by /= divisor;
}

}  // namespace

// Terms that are less than what divides all others.
bool Builder::drop_low_terms(IntegerSum& of, const Int& by) {
  for (const auto& [unused, least] : of.terms) {
    const Int limit = least < 0 ? -least : least;
    IntegerSum low, high;
    Int divisor = by;
    for (const auto& [id, times] : of.terms) {
      const bool is_high = times >= limit || times <= -limit;
      (is_high ? high : low).add(id, times);
      if (is_high) divisor = common_divisor(divisor, times);
    }
    low.constant = of.constant;
    if (divisor == 1 || (low.is_constant() && low.constant == 0)) continue;
    const auto range = range_of(low);
    if (!range || range->first < 0 || range->second >= divisor) continue;
    of = high;
    return true;
  }
  return false;
}

// The least power of two by which the quotient is the same, 0 or -1.
Int Builder::least_divisor(const IntegerSum& of, const Int& by) {
  const auto range = range_of(of);
  if (!range || range->first < -by || range->second >= by) return by;
  Int least = 2;
  while (least < -range->first || least <= range->second) least *= 2;
  return least;
}

// The quotient of a sum as a sum; nullopt where it cannot be computed without wrapping, or the type
// does not hold the divisor.
std::optional<IntegerSum> Builder::quotient_of(IntegerSum of, Int by, const Like& like) {
  if (by == 1) return of;
  if (!of.is_small() || by > kLargestDivisor) return std::nullopt;
  IntegerSum result = take_multiples(of, by);
  if (of.is_constant()) return result;
  const bool negative = of.terms.begin()->second < 0;
  if (negative) {
    of = of.times(-1);
    of.constant += by - 1;
  }
  const Int sign = negative ? -1 : 1;
  const auto with = [&](const IntegerSum& quotient) -> std::optional<IntegerSum> {
    result.add(quotient, sign);
    return result.is_small() ? std::optional(result) : std::nullopt;
  };
  reduce_fraction(of, by);
  while (drop_low_terms(of, by)) reduce_fraction(of, by);
  if (by == 1) return with(of);
  if (const auto range = range_of(of)) {
    const Int least = floor_divide(range->first, by);
    if (least == floor_divide(range->second, by)) {
      IntegerSum known;
      known.constant = least;
      return with(known);
    }
  }
  if (const auto quotient = quotient_by_low_bits(of, by, like)) return with(*quotient);
  if (const auto narrower = least_divisor(of, by); narrower < by)
    if (const auto quotient = quotient_of(of, narrower, like)) return with(*quotient);
  if (2 * of.constant == by) {
    of.constant = 0;
    const auto half = quotient_of(of, by / 2, like), whole = quotient_of(of, by, like);
    if (!half || !whole) return std::nullopt;
    IntegerSum difference = *half;
    difference.add(*whole, -1);
    return with(difference);
  }
  if (of.terms.size() == 1 && of.terms.begin()->second == 1)
    if (const auto inner = quotient_made(of.terms.begin()->first);
        inner && inner->second <= integer_range(like.dtype).second / by) {
      IntegerSum all = sum_of(inner->first);
      all.constant += inner->second * of.constant;
      if (const auto quotient = quotient_of(all, inner->second * by, like)) return with(*quotient);
    }
  if (by > integer_range(like.dtype).second) return std::nullopt;
  CoreId x = built(of, like.dtype, like.shape);
  if (!is_sum(x, of)) {
    if (!like.taken_not_to_wrap) return std::nullopt;
    x = unwrapped(x);
  }
  IntegerSum quotient;
  quotient.add(floor_function(x, by), 1);
  return with(quotient);
}

// Whether the operator that was built of a sum is that integer, and has not wrapped.
bool Builder::is_sum(CoreId x, const IntegerSum& sum) {
  const auto [low, high] = integer_range(dtype(x));
  if (const auto range = range_of(sum); range && low <= range->first && range->second <= high)
    return true;
  return (op(x).prim == Prim::kLinear || sum.is(x)) && bounds_.fits(program_, x);
}

// The function itself.
CoreId Builder::floor_function(CoreId x, const Int& by) {
  const auto range = range_of(sum_of(x));
  const auto [low, high] = range ? *range : integer_range_of(x);
  const CoreId divisor = constant(Rational(by), dtype(x), Shape(shape(x)));
  append(Prim::kMap, dtype(x), Shape(shape(x)), {x, divisor}).fn = "div_floor";
  const CoreId made = last();
  return by > 1 ? lies_in(made, floor_divide(low, by), floor_divide(high, by)) : made;
}

Builder::Like Builder::like(CoreId x) {
  return {dtype(x), shape(x), dtype(x) == DType::kInt64 && !bounds_.fits(program_, x)};
}

// Of a multiple 2^k y of n bits, which may wrap: y, as n - k bits hold it. kNone of another one.
CoreId Builder::quotient_of_multiple(CoreId x, const Int& by) {
  const DType type = dtype(x);
  if (op(x).prim != Prim::kLinear || bounds_.fits(program_, x) || !is_power_of_two(by))
    return kNone;
  if (type == DType::kInt64) return kNone;  // is taken not to wrap
  const PlainInt bits = 8 * static_cast<PlainInt>(byte_size(type));
  IntegerSum sum = sum_modulo(x, bits);
  Int values = 1;  // of n - k bits
  for (PlainInt i = 0; i < bits; ++i) values *= 2;
  values /= by;
  for (const auto& [id, times] : sum.terms)
    if (times % by != 0) return kNone;
  if (sum.constant % by != 0) return kNone;
  IntegerSum part;
  for (const auto& [id, times] : sum.terms) part.add(id, times / by);
  part.constant = sum.constant / by;
  const Int least = is_unsigned(type) ? Int{0} : -values / 2;
  if (const auto range = range_of(part);
      range && least <= range->first && range->second < least + values)
    return built(part, type, Shape(shape(x)));
  if (!is_power_of_two(values)) return kNone;
  const auto rest = remainder_of(built(part, type, Shape(shape(x))), values);
  if (!rest) return kNone;
  IntegerSum result = *rest;
  if (!is_unsigned(type)) {
    const auto sign = quotient_of(*rest, values / 2, like(x));
    if (!sign) return kNone;
    result.add(*sign, -values);
  }
  return result.is_small() ? built(result, type, Shape(shape(x))) : kNone;
}

CoreId Builder::quotient_down(CoreId x, const Int& by) {
  if (by == 1) return x;
  if (const CoreId quotient = quotient_of_multiple(x, by); quotient != kNone) return quotient;
  x = wrapped(x);
  if (by > 1) {
    const Like as = like(x);
    if (const auto quotient = quotient_of(sum_of(x), by, as))
      return built(*quotient, as.dtype, as.shape);
  }
  return floor_function(x, by);
}

// What the quotient by a positive number leaves, as a sum. By a power of two, of the sum modulo it.
std::optional<IntegerSum> Builder::remainder_of(CoreId x, const Int& by) {
  if (is_power_of_two(by)) {
    PlainInt bits = 0;
    for (Int power = 1; power < by; power *= 2) ++bits;
    IntegerSum rest;
    const IntegerSum all = sum_modulo(x, bits);
    for (const auto& [id, times] : all.terms) {
      const Int below = times - by * floor_divide(times, by);
      rest.add(id, 2 * below > by ? below - by : below);
    }
    rest.constant = all.constant - by * floor_divide(all.constant, by);
    x = built(rest, dtype(x), Shape(shape(x)));
  }
  x = wrapped(x);
  IntegerSum result = sum_of(x);
  const auto quotient = quotient_of(result, by, like(x));
  if (!quotient) return std::nullopt;
  result.add(*quotient, -by);
  return result.is_small() ? std::optional(result) : std::nullopt;
}

// x less `by` times its quotient.
CoreId Builder::rest_of(CoreId x, CoreId quotient, const Int& by) {
  if (is_finite_constant(quotient) && op(quotient).constant.is_zero()) return x;
  const DType type = dtype(x);
  if (!is_unsigned(type)) return linear({x, quotient}, {Rational(1), Rational(-by)});
  return cast(
      linear({cast(x, DType::kInt64), cast(quotient, DType::kInt64)}, {Rational(1), Rational(-by)}),
      type);
}

CoreId Builder::remainder(CoreId x, const Int& by) {
  if (by == 1) return constant(Rational(0), dtype(x), Shape(shape(x)));
  if (by > 1)
    if (const auto rest = remainder_of(x, by)) {
      const CoreId result = built(*rest, dtype(x), Shape(shape(x)));
      return is_finite_constant(result) || result == x ? result : lies_within(result, 0, by - 1);
    }
  x = wrapped(x);
  const CoreId rest = rest_of(x, quotient_down(x, by), by);
  if (rest == x) return x;
  return by > 0 ? lies_in(rest, 0, by - 1) : lies_in(rest, by + 1, 0);
}

}  // namespace assay::lowering
