#include "static_check/checker/facts/index_values.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

struct Stride {
  Int distance;
  Int count;
  Int reached = 0;  // the greatest multiple of the distance that is needed
};

std::vector<Stride> strides_of(const Region& region, const Affine& index) {
  std::vector<Stride> steps;
  for (size_t digit = 0; digit < index.steps.size(); ++digit)
    if (index.steps[digit] != 0 && region.sizes[digit] > 1)
      steps.push_back({index.steps[digit], region.sizes[digit]});
  std::sort(steps.begin(), steps.end(),
            [](const Stride& a, const Stride& b) { return a.distance > b.distance; });
  return steps;
}

// Whether `all` meets each element that `some` meets. Decided step by step, the longest first, with
// nothing carried: false may also mean that the steps do not nest.
bool meets_all(std::vector<Stride> all, Int first_of_all, const std::vector<Stride>& some,
               Int first) {
  std::vector<Stride> joined;
  for (const Stride& step : all) {
    if (!joined.empty() && joined.back().distance == step.distance * step.count) {
      joined.back().distance = step.distance;
      joined.back().count *= step.count;
    } else {
      joined.push_back(step);
    }
  }
  Int rest = first - first_of_all;
  if (rest < 0) return false;
  for (Stride& step : joined) {
    step.reached = std::min(rest / step.distance, step.count - 1);
    rest -= step.reached * step.distance;
  }
  if (rest != 0) return false;
  for (const Stride& step : some) {
    const auto whole = std::find_if(joined.begin(), joined.end(), [&](const Stride& one) {
      return step.distance % one.distance == 0;
    });
    if (whole == joined.end()) return false;
    whole->reached += (step.count - 1) * (step.distance / whole->distance);
  }
  return std::all_of(joined.begin(), joined.end(),
                     [](const Stride& step) { return step.reached < step.count; });
}

}  // namespace

void IndexValues::assume(AtomId atom, const Region& region, const Affine& index,
                         const std::vector<Interval>& in) {
  assumed_[atom].push_back({region, index, in});
}

std::vector<Interval> IndexValues::within(AtomId atom, std::vector<Interval> initial) const {
  const auto known = assumed_.find(atom);
  if (known == assumed_.end()) return initial;
  for (const Assumed& assumed : known->second) initial = intersect(initial, assumed.in);
  return initial;
}

std::vector<Interval> IndexValues::within(AtomId atom, const Region& region, const Affine& index,
                                          std::vector<Interval> initial) const {
  const auto known = assumed_.find(atom);
  // An index that moves beyond the region is another one there.
  if (known == assumed_.end() || index.depends_beyond(region.sizes.size())) return initial;
  const std::vector<Stride> some = strides_of(region, index);
  for (const Assumed& assumed : known->second)
    if (meets_all(strides_of(assumed.region, assumed.index), assumed.index.base, some, index.base))
      initial = intersect(initial, assumed.in);
  return initial;
}

}  // namespace assay::checker
