// Regions of a tensor, cut so fine that every index in question is affine in the digits of the
// region.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::checker {

// The checker's one way to say no. Caught in check_certificate, and where an operator has a second
// way to hold.
struct Rejection {
  std::string reason;
};

// What would take too long to decide: neither accepted nor rejected.
struct Undecided {
  std::string reason;
};

// Of intervals of the integers, sorted and disjoint.
std::vector<Interval> intersect(const std::vector<Interval>& a, const std::vector<Interval>& b);

// base + sum of steps[i] * digit i. No trailing zero steps, so that equal functions compare equal.
// Steps are never negative.
struct Affine {
  Int base = 0;
  std::vector<Int> steps;

  Int step(size_t digit) const { return digit < steps.size() ? steps[digit] : 0; }
  bool depends_beyond(size_t digits) const { return steps.size() > digits; }
  auto operator<=>(const Affine&) const = default;
};

Affine plus(const Affine& x, const Affine& y);
// nullopt when a step would be negative.
std::optional<Affine> minus(const Affine& x, const Affine& y);
Affine times(const Affine& x, Int factor);  // factor >= 0
Affine shifted(Affine x, Int by);

// Digit i runs over [0, sizes[i]). A digit of size 1 has no steps in any coordinate.
struct Region {
  std::vector<Int> sizes;
  std::vector<Affine> coords;

  Int elements() const;
  Int largest(const Affine& x) const;
};

// One digit per dimension, one coordinate per dimension; `outer`'s digits and coordinates come
// first.
Region region_of(const Shape& shape, const Region& outer = {});

// Thrown by the functions below when the answer is not affine on the region: the region must be cut
// first.
struct Split {
  size_t digit;
  Int at;  // cut: digits [0, at) and [at, size). refine: into (size / at) digits of `at`
  bool refine;
};

// x / divisor and x % divisor for x >= 0 (floor division for a negative base). Throws Split.
std::pair<Affine, Affine> divide(const Region& region, const Affine& x, Int divisor);

// The k with cuts[k] <= x < cuts[k + 1] everywhere. Throws Split; Rejection when x leaves the cuts.
size_t locate(const Region& region, const Affine& x, std::span<const Int> cuts);

// Whether in.lo <= x < in.hi; the same everywhere on the region. Throws Split.
bool inside(const Region& region, const Affine& x, const Interval& in);

// The two or one regions that a Split asks for.
std::vector<Region> cut(const Region& region, const Split& split);

// Calls check(part) on a partition of `region`, each part once with no Split left to ask for. check
// must leave no trace when it throws a Split. Splits of digits below `fixed` belong to an outer
// loop and pass through. Throws Rejection beyond a bound on the number of parts.
template <class Check>
void for_each_region(const Region& region, size_t fixed, Check&& check) {
  constexpr Int kMostParts = Int{1} << 17;
  if (region.elements() == 0) return;
  std::vector<Region> pending{region};
  for (Int tried = 0; !pending.empty(); ++tried) {
    if (tried > kMostParts) throw Rejection{"the layouts are too irregular to compare"};
    const Region part = std::move(pending.back());
    pending.pop_back();
    try {
      check(part);
    } catch (const Split& split) {
      if (split.digit < fixed) throw;
      for (Region& piece : cut(part, split)) pending.push_back(std::move(piece));
    }
  }
}

}  // namespace assay::checker
