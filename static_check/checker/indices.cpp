// Indices of gathers and scatters lie in their tables. The sequential program's indices say which
// values its integers may have: that is an assumption of the report. The ranks' indices must stay
// in their own tables for all of them: what an index outside does is nobody's guess, a one-hot row
// of zeros least of all.
#include <algorithm>

#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

using Intervals = std::vector<Interval>;

// The integers of a piece for which a * x + b is an index of a table of that many rows. A scaled
// index has no rule: its operator cannot claim anything.
Intervals inside_table(const PiecewiseAffine::Piece& piece, int64_t rows) {
  if (piece.a == 0) return 0 <= piece.b && piece.b < rows ? Intervals{piece.x} : Intervals{};
  if (piece.a != 1) return {piece.x};
  return intersect({piece.x}, {{-piece.b, rows - piece.b}});
}

Intervals outside_table(const PiecewiseAffine::Piece& piece, int64_t rows) {
  Intervals outside;
  int64_t begin = piece.x.lo;
  for (const Interval& in : inside_table(piece, rows)) {
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
    over_indices(kNone, [&](const OpRef&, const Region&, const IntegerMap& map, int64_t rows) {
      if (is_known(map)) return;
      Intervals values;
      for (const PiecewiseAffine::Piece& piece : map.pieces)
        for (const Interval& in : inside_table(piece, rows)) values.push_back(in);
      Intervals& allowed = allowed_.emplace(map.of.atom, everything(map)).first->second;
      allowed = intersect(allowed, values);
    });
    for (size_t rank = 0; rank < joint_.ranks.size(); ++rank)
      over_indices(static_cast<Rank>(rank), [&](const OpRef& ref, const Region& region,
                                                const IntegerMap& map, int64_t rows) {
        if (!claims_unknown(joint_, ref)) check(ref, region, map, rows);
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
      for_each_region(region_of(step.operand_op(0).shape), 0, [&](const Region& region) {
        const auto map =
            as_integer(joint_.facts, region, element_at(region, step.operand(0), region.coords));
        if (map) visit(ref, region, *map, step.op().shape.back());
      });
    }
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

  void check(const OpRef& ref, const Region& region, const IntegerMap& map, int64_t rows) const {
    const Intervals values = values_of(region, map);
    for (const PiecewiseAffine::Piece& piece : map.pieces)
      if (!intersect(outside_table(piece, rows), values).empty())
        throw Rejection{describe(joint_, ref) + ": an index outside of its table"};
  }

  Joint& joint_;
  std::map<AtomId, Intervals> allowed_;  // by canonical atom
};

}  // namespace

void check_indices(Joint& joint) { IndexCheck(joint).run(); }

}  // namespace assay::checker
