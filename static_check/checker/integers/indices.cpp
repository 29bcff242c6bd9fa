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

  void run() {
    over_indices(kNone, [&](const OpRef&, const Region&, const std::optional<IntegerMap>& map,
                            const Intervals& indices) {
      if (!map || is_known(*map)) return;
      Intervals values;
      for (const PiecewiseAffine::Piece& piece : map->pieces)
        for (const Interval& in : inside_table(piece, indices)) values.push_back(in);
      Intervals& allowed = allowed_.emplace(map->of.atom, everything(*map)).first->second;
      allowed = intersect(allowed, values);
    });
    for (size_t rank = 0; rank < joint_.ranks.size(); ++rank)
      over_indices(static_cast<Rank>(rank),
                   [&](const OpRef& ref, const Region& region, const std::optional<IntegerMap>& map,
                       const Intervals& indices) {
                     if (claims_unknown(joint_, ref)) return;
                     if (!map)
                       throw Rejection{describe(joint_, ref) + ": an index without a range"};
                     check(ref, region, *map, indices);
                   });
  }

 private:
  template <class Visit>
  void over_indices(Rank rank, const Visit& visit) {
    const CoreProgram& program = joint_.program(rank);
    for (size_t id = 0; id < program.ops.size(); ++id) {
      if (program.ops[id].prim != Prim::kOneHot) continue;
      const OpRef ref{rank, static_cast<CoreId>(id)};
      const Step step = joint_.step(ref);
      const Intervals indices = indices_of(step.op());
      for_each_region(region_of(step.operand_op(0).shape), 0, [&](const Region& region) {
        visit(ref, region, index_of(step, region), indices);
      });
    }
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

  Intervals everything(const IntegerMap& map) const {
    const bool flag = map.of.atom != kNone && joint_.facts.boolean(map.of.atom);
    return {flag ? Interval{0, 2} : Interval{INT64_MIN, INT64_MAX}};
  }

  // The values of the integer on the region.
  Intervals values_of(const Region& region, const IntegerMap& map) const {
    if (map.of.atom != kNone && map.of.atom == joint_.facts.iota())
      return {{map.of.index.base, region.largest(map.of.index) + 1}};
    const auto known = allowed_.find(map.of.atom);
    return known == allowed_.end() ? everything(map) : known->second;
  }

  void check(const OpRef& ref, const Region& region, const IntegerMap& map,
             const Intervals& indices) const {
    const Intervals values = values_of(region, map);
    for (const PiecewiseAffine::Piece& piece : map.pieces)
      if (!intersect(outside_table(piece, indices), values).empty())
        throw Rejection{describe(joint_, ref) + ": an index outside of its table"};
  }

  Joint& joint_;
  std::map<AtomId, Intervals> allowed_;  // by canonical atom
};

}  // namespace

void check_indices(Joint& joint) { IndexCheck(joint).run(); }

}  // namespace assay::checker
