// Quotients of sums of an integer's quotients by powers of two, as programs that count or spread
// bits make them: by all values of the bits that the divisor cuts off.
#include <set>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {

// Of terms c floor(a / 2^j) with 2^j <= m: a is m q + r, and so floor(s / m) is a multiple of q and
// what it is for r. nullopt where that is not the same for all r.
std::optional<IntegerSum> Builder::quotient_by_low_bits(const IntegerSum& of, const Int& by,
                                                        const Like& like) {
  constexpr PlainInt kLargest = 256;
  if (by > kLargest || !is_power_of_two(by) || of.terms.size() < 2) return std::nullopt;
  const auto base_of = [&](CoreId id) {
    const auto made = quotient_made(id);
    return made && is_power_of_two(made->second) ? std::pair(made->first, made->second)
                                                 : std::pair(id, Int{1});
  };
  std::optional<IntegerSum> base;
  std::vector<std::pair<Int, Int>> parts;  // 2^j, c
  Int whole = 0;
  for (const auto& [id, times] : of.terms) {
    const auto [a, power] = base_of(id);
    const IntegerSum sum = sum_of(a);
    if (by % power != 0 || (base && (base->terms != sum.terms || base->constant != sum.constant)))
      return std::nullopt;
    base = sum;
    parts.emplace_back(power, times);
    whole += times * (by / power);
  }
  if (whole % by != 0) return std::nullopt;
  std::set<PlainInt> rests;
  for (Int r = 0; r < by; r += 1) {
    Int value = of.constant;
    for (const auto& [power, times] : parts) value += times * (r / power);
    rests.insert(static_cast<PlainInt>(floor_divide(value, by)));
  }
  if (rests.size() != 1) return std::nullopt;
  const auto quotient = whole == 0 ? IntegerSum{} : quotient_of(*base, by, like);
  if (!quotient) return std::nullopt;
  IntegerSum result = quotient->times(whole / by);
  result.constant += *rests.begin();
  return result;
}

}  // namespace assay::lowering
