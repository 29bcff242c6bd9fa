#include "static_check/checker/facts/regions.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

void trim(Affine& x) {
  while (!x.steps.empty() && x.steps.back() == 0) x.steps.pop_back();
}

void set_step(Affine& x, size_t digit, Int step) {
  if (x.steps.size() <= digit) x.steps.resize(digit + 1, 0);
  x.steps[digit] = step;
}

Int ceil_divide(Int x, Int y) { return (x + y - 1) / y; }

}  // namespace

Affine plus(const Affine& x, const Affine& y) {
  Affine sum{x.base + y.base, x.steps};
  if (sum.steps.size() < y.steps.size()) sum.steps.resize(y.steps.size(), 0);
  for (size_t i = 0; i < y.steps.size(); ++i) sum.steps[i] += y.steps[i];
  trim(sum);
  return sum;
}

std::optional<Affine> minus(const Affine& x, const Affine& y) {
  Affine difference{x.base - y.base, x.steps};
  if (difference.steps.size() < y.steps.size()) return std::nullopt;
  for (size_t i = 0; i < y.steps.size(); ++i) {
    difference.steps[i] -= y.steps[i];
    if (difference.steps[i] < 0) return std::nullopt;
  }
  trim(difference);
  return difference;
}

Affine times(const Affine& x, Int factor) {
  Affine product{x.base * factor, x.steps};
  for (Int& step : product.steps) step *= factor;
  trim(product);
  return product;
}

Affine shifted(Affine x, Int by) {
  x.base += by;
  return x;
}

Int Region::elements() const {
  return std::accumulate(sizes.begin(), sizes.end(), Int{1}, std::multiplies<>());
}

Int Region::largest(const Affine& x) const {
  Int value = x.base;
  for (size_t i = 0; i < x.steps.size(); ++i) value += x.steps[i] * (sizes[i] - 1);
  return value;
}

Region region_of(const Shape& shape, const Region& outer) {
  Region region = outer;
  for (const Int extent : shape) {
    Affine coord;
    if (extent != 1) {
      set_step(coord, region.sizes.size(), 1);
      region.sizes.push_back(extent);
    }
    region.coords.push_back(std::move(coord));
  }
  return region;
}

std::pair<Affine, Affine> divide(const Region& region, const Affine& x, Int divisor) {
  ASSAY_CHECK(divisor > 0, "division by a stride that is not positive");
  Affine quotient, remainder;
  remainder.base = ((x.base % divisor) + divisor) % divisor;
  quotient.base = (x.base - remainder.base) / divisor;
  Int largest = remainder.base;
  size_t widest = x.steps.size();
  for (size_t i = 0; i < x.steps.size(); ++i) {
    const Int step = x.steps[i];
    if (step == 0) continue;
    if (step % divisor == 0) {
      set_step(quotient, i, step / divisor);
      continue;
    }
    set_step(remainder, i, step);
    largest += step * (region.sizes[i] - 1);
    if (widest == x.steps.size() || step > x.steps[widest]) widest = i;
  }
  if (largest < divisor) return {std::move(quotient), std::move(remainder)};

  const Int step = x.steps[widest], size = region.sizes[widest];
  const Int period = divisor / common_divisor(step, divisor);
  if (period < size) {
    if (size % period == 0) throw Split{widest, period, true};
    throw Split{widest, size - size % period, false};
  }
  throw Split{widest, std::clamp<Int>(ceil_divide(divisor - remainder.base, step), 1, size - 1),
              false};
}

size_t locate(const Region& region, const Affine& x, std::span<const Int> cuts) {
  const auto next = std::upper_bound(cuts.begin(), cuts.end(), x.base);
  if (next == cuts.begin() || next == cuts.end()) throw Rejection{"an index leaves its tensor"};
  if (region.largest(x) < *next) return static_cast<size_t>(next - cuts.begin()) - 1;
  size_t widest = 0;
  for (size_t i = 0; i < x.steps.size(); ++i)
    if (x.steps[i] > x.step(widest)) widest = i;
  throw Split{
      widest,
      std::clamp<Int>(ceil_divide(*next - x.base, x.steps[widest]), 1, region.sizes[widest] - 1),
      false};
}

bool inside(const Region& region, const Affine& x, const Interval& in) {
  const Int low = x.base, high = region.largest(x) + 1;
  std::vector<Int> cuts{low, high};
  for (const Int edge : {in.lo, in.hi})
    if (low < edge && edge < high) cuts.push_back(edge);
  std::sort(cuts.begin(), cuts.end());
  locate(region, x, cuts);
  return in.lo <= low && low < in.hi;
}

std::vector<Region> cut(const Region& region, const Split& split) {
  const size_t digit = split.digit;
  ASSAY_CHECK(digit < region.sizes.size() && split.at > 0 && split.at < region.sizes[digit],
              "a cut outside of its digit");
  if (split.refine) {
    Region refined = region;
    refined.sizes[digit] /= split.at;
    refined.sizes.push_back(split.at);
    for (Affine& coord : refined.coords) {
      const Int step = coord.step(digit);
      if (step == 0) continue;
      set_step(coord, refined.sizes.size() - 1, step);
      coord.steps[digit] = step * split.at;
    }
    return {std::move(refined)};
  }
  Region low = region, high = region;
  low.sizes[digit] = split.at;
  high.sizes[digit] = region.sizes[digit] - split.at;
  for (Affine& coord : high.coords) coord.base += coord.step(digit) * split.at;
  for (Region* part : {&low, &high}) {
    if (part->sizes[digit] != 1) continue;
    for (Affine& coord : part->coords) {
      if (coord.step(digit) == 0) continue;
      coord.steps[digit] = 0;
      trim(coord);
    }
  }
  return {std::move(low), std::move(high)};
}

std::vector<Interval> intersect(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> both;
  for (const Interval& x : a)
    for (const Interval& y : b)
      if (std::max(x.lo, y.lo) < std::min(x.hi, y.hi))
        both.push_back({std::max(x.lo, y.lo), std::min(x.hi, y.hi)});
  std::sort(both.begin(), both.end(),
            [](const Interval& x, const Interval& y) { return x.lo < y.lo; });
  return both;
}

}  // namespace assay::checker
