// Edits of the boxes and guards of a term.
#include <utility>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

class RestrictionEdits {
 public:
  RestrictionEdits(EditList& list, const Place& place, size_t term, size_t restriction)
      : list_(list),
        place_(place),
        term_(term),
        index_(restriction),
        of_(claims(list.replay(), place.rank)[place.op]
                .tiles[place.tile]
                .terms[term]
                .restrictions[restriction]) {}

  void run() {
    if (of_.kind == Restriction::Kind::kGuard) {
      smaller_guards();
      return;
    }
    other_bounds();
    complement();
    list_.add(EditKind::kBox, place_, "no box", [term = term_, index = index_](Tile& tile) {
      std::vector<Restriction>& all = tile.terms[term].restrictions;
      all.erase(all.begin() + static_cast<ptrdiff_t>(index));
    });
  }

 private:
  void add(const std::string& what, std::vector<Interval> intervals) {
    list_.add(EditKind::kBox, place_, what,
              [term = term_, index = index_, intervals = std::move(intervals)](Tile& tile) {
                tile.terms[term].restrictions[index].intervals = intervals;
              });
  }

  void other_bounds() {
    const auto whole = [&](const std::vector<Interval>& in) {
      return in.size() == 1 && in[0].lo == 0 && in[0].hi == of_.radix;
    };
    for (size_t i = 0; i < of_.intervals.size(); ++i) {
      const int64_t before = i == 0 ? -1 : of_.intervals[i - 1].hi;
      const int64_t after = i + 1 == of_.intervals.size() ? of_.radix + 1 : of_.intervals[i + 1].lo;
      for (int64_t low = -2; low <= 2; ++low)
        for (int64_t high = -2; high <= 2; ++high) {
          std::vector<Interval> moved = of_.intervals;
          moved[i].lo += low;
          moved[i].hi += high;
          if (moved == of_.intervals || moved[i].lo <= before || moved[i].hi >= after ||
              moved[i].lo >= moved[i].hi || whole(moved))
            continue;
          add("a box with bounds moved by " + std::to_string(low) + ", " + std::to_string(high),
              std::move(moved));
        }
    }
  }

  void complement() {
    std::vector<Interval> rest;
    int64_t end = 0;
    for (const Interval& in : of_.intervals) {
      if (in.lo > end) rest.push_back({end, in.lo});
      end = in.hi;
    }
    if (end < of_.radix) rest.push_back({end, of_.radix});
    if (!rest.empty()) add("the other part", std::move(rest));
  }

  // A larger guard may say the same: the term can be zero there for another reason.
  void smaller_guards() {
    for (size_t i = 0; i < of_.intervals.size(); ++i) {
      const Interval& in = of_.intervals[i];
      if (in.hi - 1 <= in.lo) continue;
      if (in.lo != INT64_MIN && list_.may_be(of_.atom, in.lo)) {
        std::vector<Interval> later = of_.intervals;
        ++later[i].lo;
        add("a guard that begins one later", std::move(later));
      }
      if (in.hi != INT64_MAX && list_.may_be(of_.atom, in.hi - 1)) {
        std::vector<Interval> earlier = of_.intervals;
        --earlier[i].hi;
        add("a guard that ends one earlier", std::move(earlier));
      }
    }
  }

  EditList& list_;
  const Place& place_;
  size_t term_;
  size_t index_;
  const Restriction& of_;
};

}  // namespace

void add_restriction_edits(EditList& list, const Place& at, size_t term, size_t restriction) {
  RestrictionEdits(list, at, term, restriction).run();
}

}  // namespace assay::test
