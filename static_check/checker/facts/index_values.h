// What the sequential program's indices say about integers: that they lie in its tables is an
// assumption of the report. It is of the very elements that are indices, and of no others of their
// array.
#pragma once

#include <map>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker {

class IndexValues {
 public:
  // Element `index` of the atom, at each place of the region, lies in the intervals.
  void assume(AtomId atom, const Region& region, const Affine& index,
              const std::vector<Interval>& in);

  // The same of all elements that are indices, as far as these agree.
  std::vector<Interval> within(AtomId atom, std::vector<Interval> initial) const;

  // The intervals of `initial` in which all of these elements lie. Sorted and disjoint, as those.
  std::vector<Interval> within(AtomId atom, const Region& region, const Affine& index,
                               std::vector<Interval> initial) const;

 private:
  struct Assumed {
    Region region;
    Affine index;
    std::vector<Interval> in;
  };
  std::map<AtomId, std::vector<Assumed>> assumed_;
};

}  // namespace assay::checker
