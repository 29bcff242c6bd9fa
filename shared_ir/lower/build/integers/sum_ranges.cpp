// Between which numbers a sum of quotients lies: x - 16 floor(x / 16) is what a quotient leaves.
#include <algorithm>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

__extension__ using Wide = __int128;

constexpr PlainInt kMostScale = PlainInt{1} << 20, kMostTimes = PlainInt{1} << 52;

Wide wide(const Int& value) { return static_cast<PlainInt>(value); }

Wide floor_of(Wide value, Wide by) {
  const Wide quotient = value / by;
  return quotient * by > value ? quotient - 1 : quotient;
}

struct Range {
  Wide low = 0, high = 0;

  void add(Wide times, const Range& of) {
    low += std::min(times * of.low, times * of.high);
    high += std::max(times * of.low, times * of.high);
  }
};

// `scale` times the sum is these terms and what lies in `rest`.
struct Remaining {
  std::map<CoreId, Wide> terms;
  Range rest;
  PlainInt scale = 1;

  void add(CoreId id, Wide times) {
    Wide& of = terms[id];
    of += times;
    if (of == 0) terms.erase(id);
  }
  void multiply(PlainInt by) {
    for (auto& [id, times] : terms) times *= by;
    rest.low *= by, rest.high *= by, scale *= by;
  }
  bool is_small() const {
    return std::ranges::all_of(terms, [](const auto& term) {
      return term.second <= kMostTimes && term.second >= -kMostTimes;
    });
  }
};

}  // namespace

// floor(y / n) is (floor(y / m) - r) / (n / m) for what r is left of floor(y / m): of the quotients
// that are terms, the one by the largest number is written by another term, if any is a part of it.
std::optional<std::pair<Int, Int>> Builder::range_of(const IntegerSum& sum) {
  if (!sum.is_small()) return std::nullopt;
  const auto range_of_term = [&](CoreId id) {
    const auto [low, high] = integer_range_of(id);
    return Range{wide(low), wide(high)};
  };
  const auto total = [&](const Remaining& of) {
    Range range = of.rest;
    for (const auto& [id, times] : of.terms) range.add(times, range_of_term(id));
    return Range{-floor_of(-range.low, of.scale), floor_of(range.high, of.scale)};
  };
  Remaining left;
  for (const auto& [id, times] : sum.terms) left.terms.emplace(id, wide(times));
  left.rest = {wide(sum.constant), wide(sum.constant)};
  Range range = total(left);
  while (left.is_small()) {
    CoreId quotient = kNone, within = kNone;
    PlainInt by = 1, divisor = 1;
    for (const auto& [id, times] : left.terms)
      if (const auto made = quotient_made(id); made && made->second > by)
        quotient = id, by = static_cast<PlainInt>(made->second);
    if (quotient == kNone) break;
    const CoreId of = quotient_made(quotient)->first;
    for (const auto& [id, times] : left.terms)
      if (const auto made = quotient_made(id);
          made && made->second < by && made->second > divisor && by % made->second == 0 &&
          common_.first(program_, made->first) == common_.first(program_, of))
        within = id, divisor = static_cast<PlainInt>(made->second);
    const Wide times = left.terms.at(quotient);
    left.terms.erase(quotient);
    IntegerSum part;
    if (within != kNone)
      part.add(within, 1);
    else
      part = sum_of(of);
    if (std::ranges::none_of(part.terms,
                             [&](const auto& term) { return left.terms.contains(term.first); })) {
      left.rest.add(times, range_of_term(quotient));
      continue;
    }
    const PlainInt ratio = by / divisor;
    Wide share = times / ratio;
    if (share * ratio != times) {
      if (left.scale > kMostScale / ratio) break;
      left.multiply(ratio);
      share = times;
    }
    for (const auto& [id, coefficient] : part.terms) left.add(id, share * wide(coefficient));
    left.rest.add(share, {wide(part.constant), wide(part.constant)});
    left.rest.add(-share, {0, ratio - 1});
    const Range other = total(left);
    range = {std::max(range.low, other.low), std::min(range.high, other.high)};
  }
  // Multiples of what divides all terms, and the constant.
  Int divisor = 0;
  for (const auto& [id, times] : sum.terms) divisor = common_divisor(divisor, times);
  if (divisor > 1) {
    const Wide step = wide(divisor), constant = wide(sum.constant);
    range.low = -floor_of(constant - range.low, step) * step + constant;
    range.high = floor_of(range.high - constant, step) * step + constant;
  }
  constexpr PlainInt kLargest = PlainInt{1} << 62;
  if (range.low < -Wide{kLargest} || range.high > Wide{kLargest} || range.low > range.high)
    return std::nullopt;
  return std::pair(Int{static_cast<PlainInt>(range.low)}, Int{static_cast<PlainInt>(range.high)});
}

}  // namespace assay::lowering
