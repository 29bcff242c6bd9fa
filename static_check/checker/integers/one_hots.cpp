#include "static_check/checker/integers/one_hots.h"

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

Int saturating_add(Int x, Int y) {
  Int sum;
  if (x == INT64_MIN || x == INT64_MAX) return x;
  return add_overflow(x, y, &sum) ? (y > 0 ? INT64_MAX : INT64_MIN) : sum;
}

}  // namespace

std::optional<Factor> element_behind(const Facts& facts, const Region& region, const Sum& claim,
                                     const Affine& category) {
  if (claim.size() != 1 || claim[0].factors.size() != 1 || !claim[0].coef.is_one() ||
      !claim[0].boxes.empty() || !claim[0].guards.empty())
    return std::nullopt;
  const Factor& factor = claim[0].factors[0];
  if (facts.atom(factor.atom).kind != Atom::Kind::kOneHot) return std::nullopt;
  const AtomId ids = facts.atom(factor.atom).ids;
  const Int elements = facts.atom(ids).size;
  const auto element = minus(factor.index, times(category, elements));
  if (!element || element->base < 0 || region.largest(*element) >= elements) return std::nullopt;
  return Factor{ids, *element};
}

Sum one_hot(const Step& step, const Region& region, const std::vector<Affine>& coords) {
  const Affine& category = coords.back();
  const std::vector<Affine> at(coords.begin(), coords.end() - 1);
  const Element index = element_at(region, step.operand(0), at);
  Sum claim = as_sum(element_at(region, step.claim(), coords));
  const auto behind = element_behind(step.facts, region, claim, category);
  if (behind && equal(step.facts, region, as_sum(index), {{1, {*behind}, {}, {}}})) return claim;
  const auto map = as_integer(step.facts, region, index);
  if (!map) throw Rejection{"the one-hot of an index that is no function of one integer"};
  Sum sum;
  for (const PiecewiseAffine::Piece& piece : map->pieces) {
    if (piece.a == 0) {
      if (!inside(region, category, {piece.b, saturating_add(piece.b, 1)})) continue;
      sum.emplace_back();
      if (map->pieces.size() > 1) sum.back().guards.push_back({map->of, {piece.x}});
      continue;
    }
    if (piece.a != 1) throw Rejection{"the one-hot of a scaled index"};
    if (!inside(region, category,
                {saturating_add(piece.x.lo, piece.b), saturating_add(piece.x.hi, piece.b)}))
      continue;
    const AtomId atom = step.facts.one_hot_of(map->of.atom);
    if (atom == kNone) throw Rejection{"a one-hot without its atom"};
    const Affine before = shifted(category, -piece.b);
    sum.push_back({1,
                   {{atom, plus(times(before, step.facts.atom(map->of.atom).size), map->of.index)}},
                   {},
                   {}});
  }
  return sum;
}

}  // namespace assay::checker
