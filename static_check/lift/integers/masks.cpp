// What a mask keeps: mask ? value : 0, as guards; and what guards that meet one-hots leave.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

enum class Outcome { kKept, kDropped, kZero };

// onehot(ids)[v, t] is zero unless ids[t] = v.
Outcome meet(const Lifting& lifting, const Layout& one_hot_layout, AtomId one_hot,
             const Restriction& guard) {
  const Atom& atom = lifting.atom(one_hot);
  if (atom.kind != Atom::Kind::kOneHot || atom.ids != guard.atom) return Outcome::kKept;
  const auto view = split_one_hot(one_hot_layout, lifting.atom(atom.ids).size);
  if (!view || !(view->ids == guard.where)) return Outcome::kKept;
  const Intervals classes{view->classes};
  if (disjoint(classes, guard.intervals)) return Outcome::kZero;
  return contains(guard.intervals, classes) ? Outcome::kDropped : Outcome::kKept;
}

// The summed label that alone moves along a one-hot operand of the sum's product, class by class;
// nullptr when the class depends on several labels, or the element of ids on a summed one.
const InstanceLabel* class_label(const Lifting& lifting, const Instance& sum, const Layout& inner,
                                 size_t operand, Int ids_size) {
  const InstanceLabel* found = nullptr;
  for (const InstanceLabel& label : sum.labels) {
    if (label.tag != InstanceLabel::Tag::kReduced) continue;
    Layout step;  // the label alone, traced to the one-hot
    step.offset = inner.offset;
    step.dims = {{{label.size, label.strides[0]}}};
    const auto traced = lifting.trace(sum.operands[0].atom, step, operand);
    if (!traced) return nullptr;
    const Modes& modes = traced->dims[0];
    if (std::all_of(modes.begin(), modes.end(), [](const Mode& m) { return m.stride == 0; }))
      continue;
    if (found != nullptr || modes != Modes{{label.size, ids_size}}) return nullptr;
    found = &label;
  }
  return found;
}

// guard(ids[t] in I) * sum over v of onehot(ids)[v, t] * ... : the guard becomes a box on the class
// label v.
Outcome meet_sum(const Lifting& lifting, Term& term, const Restriction& guard) {
  const Instance& sum = lifting.instance_of(term.atom);
  const AtomId product = sum.operands[0].atom;
  if (!lifting.is_instance(product, Instance::Kind::kMul)) return Outcome::kKept;
  const auto inner = lifting.trace(term.atom, term.layout, 0);
  if (!inner) return Outcome::kKept;
  const Instance& mul = lifting.instance_of(product);
  for (size_t p = 0; p < mul.operands.size(); ++p) {
    const Atom& one_hot = lifting.atom(mul.operands[p].atom);
    if (one_hot.kind != Atom::Kind::kOneHot || one_hot.ids != guard.atom) continue;
    const auto layout = lifting.trace(product, *inner, p);
    const Int ids_size = lifting.atom(one_hot.ids).size;
    const auto view = layout ? split_one_hot(*layout, ids_size) : std::nullopt;
    if (!view || !(view->ids == guard.where)) continue;
    const Int first = view->classes.lo;  // where the summed label is 0
    if (view->classes.hi != first + 1) continue;
    const InstanceLabel* label = class_label(lifting, sum, *inner, p, ids_size);
    if (label == nullptr) continue;
    Restriction box;
    box.kind = Restriction::Kind::kBox;
    box.label = label->hidden;
    box.radix = label->size;
    for (const Interval& interval : guard.intervals) {
      const Int lo = interval.lo <= first ? 0 : std::min(interval.lo - first, label->size);
      const Int hi = interval.hi <= first ? 0 : std::min(interval.hi - first, label->size);
      if (lo < hi) box.intervals.push_back({lo, hi});
    }
    if (box.intervals.empty()) return Outcome::kZero;
    term.restrictions.push_back(std::move(box));
    return Outcome::kDropped;
  }
  return Outcome::kKept;
}

// The same of a product, one factor of which is such a sum: its parts are parts of the product.
Outcome meet_factor(const Lifting& lifting, Term& product, Term sum, const Restriction& guard) {
  const Outcome outcome = meet_sum(lifting, sum, guard);
  if (outcome != Outcome::kDropped) return outcome;
  const std::vector<LabelId>& open = lifting.atom(product.atom).hidden;
  for (const Restriction& box : sum.restrictions)
    if (std::find(open.begin(), open.end(), box.label) == open.end()) return Outcome::kKept;
  product.restrictions.insert(product.restrictions.end(), sum.restrictions.begin(),
                              sum.restrictions.end());
  return Outcome::kDropped;
}

Outcome meet_any(const Lifting& lifting, Term& term, const Restriction& guard) {
  const Atom& atom = lifting.atom(term.atom);
  if (atom.kind == Atom::Kind::kOneHot) return meet(lifting, term.layout, term.atom, guard);
  if (lifting.is_instance(term.atom, Instance::Kind::kSum)) return meet_sum(lifting, term, guard);
  if (lifting.is_instance(term.atom, Instance::Kind::kMul)) {
    const Instance& mul = lifting.instance_of(term.atom);
    for (size_t p = 0; p < mul.operands.size(); ++p) {
      const AtomId factor = mul.operands[p].atom;
      const bool one_hot = lifting.atom(factor).kind == Atom::Kind::kOneHot;
      if (!one_hot && !lifting.is_instance(factor, Instance::Kind::kSum)) continue;
      const auto layout = lifting.trace(term.atom, term.layout, p);
      if (!layout) continue;
      const Outcome outcome = one_hot ? meet(lifting, *layout, factor, guard)
                                      : meet_factor(lifting, term, view_of(factor, *layout), guard);
      if (outcome != Outcome::kKept) return outcome;
    }
  }
  return Outcome::kKept;
}

// Where a 0/1 mask is 1; nullopt when it is not piecewise constant.
std::optional<Intervals> where_true(const PiecewiseAffine& mask) {
  Intervals result;
  for (const auto& piece : mask.pieces) {
    if (piece.a != 0 || (piece.b != 0 && piece.b != 1)) return std::nullopt;
    if (piece.b == 1) result = unite(result, {piece.x});
  }
  return result;
}

}  // namespace

std::optional<OneHotView> split_one_hot(const Layout& layout, Int ids_size) {
  OneHotView view;
  view.ids.offset = layout.offset % ids_size;
  Int last = layout.offset / ids_size;
  view.classes.lo = last;
  view.ids.dims.resize(layout.dims.size());
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    for (const Mode& mode : layout.dims[d]) {
      const bool is_class = mode.stride >= ids_size;
      if (is_class && mode.stride % ids_size != 0) return std::nullopt;
      if (is_class) last += (mode.size - 1) * (mode.stride / ids_size);
      view.ids.dims[d].push_back({mode.size, is_class ? 0 : mode.stride});
    }
    coalesce(view.ids.dims[d]);
  }
  view.classes.hi = last + 1;
  return view;
}

bool absorb_guards(const Lifting& lifting, Term& term) {
  for (size_t i = 0; i < term.restrictions.size();) {
    if (term.restrictions[i].kind != Restriction::Kind::kGuard) {
      ++i;
      continue;
    }
    const Restriction guard = term.restrictions[i];
    const Outcome outcome = meet_any(lifting, term, guard);
    if (outcome == Outcome::kZero) return false;
    if (outcome == Outcome::kDropped) {
      term.restrictions.erase(term.restrictions.begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return normalize(term.restrictions);
}

void drop_guards_of_indices(const Lifting& lifting, std::vector<Term>& terms) {
  bool dropped = false;
  for (Term& term : terms)
    dropped |= std::erase_if(term.restrictions, [&](const Restriction& guard) {
                 if (guard.kind != Restriction::Kind::kGuard) return false;
                 const Intervals values = lifting.index_values(guard.atom, guard.where);
                 return !values.empty() && contains(guard.intervals, values);
               }) > 0;
  if (dropped) combine(terms);
}

void drop_dims(std::vector<Restriction>& restrictions, std::span<const Int> dims) {
  for (Restriction& restriction : restrictions)
    if (restriction.kind == Restriction::Kind::kGuard)
      restriction.where = drop_dims(restriction.where, dims);
}

Value keep(Lifting& lifting, const Value& mask, const Value& value, DType dtype) {
  const Aligned both(mask, value);
  std::vector<Restriction> guards;  // one a tile
  guards.reserve(both.first().tiles.size());
  for (size_t t = 0; t < both.first().tiles.size(); ++t) {
    auto affine = as_affine(lifting, both.first().tiles[t], tile_size(both.first(), t));
    auto allowed = affine ? where_true(*affine) : std::nullopt;
    if (!allowed) {
      const std::vector<Value> operands{both.first(), both.second()};
      return apply_map(lifting, "keep", 0b10, operands, value.shape, dtype);
    }
    Restriction& guard = guards.emplace_back();
    guard.kind = Restriction::Kind::kGuard;
    guard.atom = affine->atom;
    guard.where = std::move(affine->layout);
    guard.intervals = std::move(*allowed);
  }
  Value result = both.second();
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    Tile& tile = result.tiles[t];
    as_terms(lifting, tile, tile_size(result, t), dtype);
    for (Term& term : tile.terms) {
      term.restrictions.push_back(guards[t]);
      if (!normalize(term.restrictions) || !absorb_guards(lifting, term)) term.coef = 0;
    }
    combine(tile.terms);
  }
  merge_tiles(result);
  return result;
}

}  // namespace assay
