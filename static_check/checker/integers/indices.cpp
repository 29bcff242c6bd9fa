// Indices of gathers and scatters lie in their tables. The sequential program's indices say which
// values its integers may have: that is an assumption of the report. The ranks' indices must stay
// in their own tables for all of them: what an index outside does is nobody's guess, a one-hot row
// of zeros least of all.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/integers/one_hots.h"
#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

using Intervals = std::vector<Interval>;

// The rows of a table, and what an index of it may be beside them; sorted.
Intervals indices_of(const CoreOp& one_hot) {
  const Int rows = one_hot.shape.back();
  Intervals allowed{{0, rows}};
  for (const Int beside : one_hot.ints)
    if (beside < 0 || beside >= rows) allowed.push_back({beside, beside + 1});
  std::ranges::sort(allowed, {}, &Interval::lo);
  return allowed;
}

// The integers of a piece for which a * x + b is such an index.
Intervals inside_table(const PiecewiseAffine::Piece& piece, const Intervals& allowed) {
  Intervals inside;
  for (const Interval& one : allowed) {
    if (piece.a != 0)
      inside.push_back({one.lo - piece.b, one.hi - piece.b});
    else if (one.lo <= piece.b && piece.b < one.hi)
      inside.push_back(piece.x);
  }
  return intersect({piece.x}, inside);
}

Intervals outside_table(const PiecewiseAffine::Piece& piece, const Intervals& allowed) {
  Intervals outside;
  Int begin = piece.x.lo;
  for (const Interval& in : inside_table(piece, allowed)) {
    if (begin < in.lo) outside.push_back({begin, in.lo});
    begin = in.hi;
  }
  if (begin < piece.x.hi) outside.push_back({begin, piece.x.hi});
  return outside;
}

class IndexCheck {
 public:
  explicit IndexCheck(Joint& joint) : joint_(joint) {}

  // Of an index of the sequential program, whose claims have been checked up to it.
  void assume(const OpRef& ref, IndexValues& values) {
    over_index(ref, [&](const Region& region, const std::optional<IntegerMap>& map,
                        const Intervals& indices) {
      if (!map || is_known(*map)) return;
      Intervals within;
      for (const PiecewiseAffine::Piece& piece : map->pieces)
        for (const Interval& in : inside_table(piece, indices)) within.push_back(in);
      values.assume(map->of.atom, region, map->of.index, within);
    });
  }

  void check_ranks() {
    for (size_t rank = 0; rank < joint_.ranks.size(); ++rank) {
      const CoreProgram& program = joint_.program(static_cast<Rank>(rank));
      for (size_t id = 0; id < program.ops.size(); ++id) {
        if (program.ops[id].prim != Prim::kOneHot) continue;
        const OpRef ref{static_cast<Rank>(rank), static_cast<CoreId>(id)};
        over_index(ref, [&](const Region& region, const std::optional<IntegerMap>& map,
                            const Intervals& indices) {
          if (claims_unknown(joint_, ref)) return;
          if (!map) throw Rejection{describe(joint_, ref) + ": an index without a range"};
          check(ref, region, *map, indices);
        });
      }
    }
  }

 private:
  template <class Visit>
  void over_index(const OpRef& ref, const Visit& visit) {
    const Step step = joint_.step(ref);
    const Intervals indices = indices_of(step.op());
    for_each_region(region_of(step.operand_op(0).shape), 0,
                    [&](const Region& region) { visit(region, index_of(step, region), indices); });
  }

  // The index as x + b or a constant, piece by piece; where it is more, it is the element that the
  // operator claims the one-hot of.
  std::optional<IntegerMap> index_of(const Step& step, const Region& region) const {
    const Facts& facts = joint_.facts;
    auto map = as_integer(facts, region, element_at(region, step.operand(0), region.coords));
    const auto is_scaled = [](const PiecewiseAffine::Piece& piece) {
      return piece.a != 0 && piece.a != 1;
    };
    if (map && std::none_of(map->pieces.begin(), map->pieces.end(), is_scaled)) return map;
    if (step.op().shape.back() == 0) return std::nullopt;
    std::vector<Affine> first_class = region.coords;
    first_class.emplace_back();
    const Sum claim = as_sum(element_at(region, step.claim(), first_class));
    const auto behind = element_behind(facts, region, claim, {});
    if (!behind) return std::nullopt;
    return IntegerMap{{facts.canonical(behind->atom), behind->index},
                      {{{INT64_MIN, INT64_MAX}, 1, 0}}};
  }

  bool is_known(const IntegerMap& map) const {
    return map.of.atom == kNone || map.of.atom == joint_.facts.iota();
  }

  // The values of the integer on the region.
  Intervals values_of(const Region& region, const IntegerMap& map) const {
    const Intervals all{{INT64_MIN, INT64_MAX}};
    if (map.of.atom == kNone) return all;
    const Facts& facts = joint_.facts;
    if (map.of.atom == facts.iota()) return {{map.of.index.base, region.largest(map.of.index) + 1}};
    const Intervals values = facts.integer_values(region, map.of.atom, map.of.index);
    // Elements that are no indices of the sequential program are taken for what the others are.
    return values == all ? facts.indices().within(map.of.atom, all) : values;
  }

  void check(const OpRef& ref, const Region& region, const IntegerMap& map,
             const Intervals& indices) const {
    const Intervals values = values_of(region, map);
    for (const PiecewiseAffine::Piece& piece : map.pieces)
      if (!intersect(outside_table(piece, indices), values).empty())
        throw Rejection{describe(joint_, ref) + ": an index outside of its table"};
  }

  Joint& joint_;
};

}  // namespace

void assume_indices(Joint& joint, const OpRef& one_hot, IndexValues& values) {
  IndexCheck(joint).assume(one_hot, values);
}

void check_indices(Joint& joint) { IndexCheck(joint).check_ranks(); }

}  // namespace assay::checker
