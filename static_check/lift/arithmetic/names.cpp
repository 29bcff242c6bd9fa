// Names: one atom for a sum of terms, of which there is one however the sum is written.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

std::string affine_text(const PiecewiseAffine& integer) {
  std::string text = "affine";
  for (const auto& piece : integer.pieces) {
    text += '[' + decimal(piece.x.lo) + ',' + decimal(piece.x.hi) + ':' + decimal(piece.a) + ',' +
            decimal(piece.b) + ']';
  }
  return text;
}

// Multiples of one sum share its name: the first coefficient is taken out, where 64 bits allow it.
Rational take_factor(std::vector<Term>& terms) {
  const Rational factor = terms.front().coef;
  if (factor.is_one()) return factor;
  std::vector<Rational> rest;
  rest.reserve(terms.size());
  try {
    for (const Term& term : terms) rest.push_back(term.coef / factor);
  } catch (const RationalOverflow&) {
    return 1;
  }
  for (size_t i = 0; i < terms.size(); ++i) terms[i].coef = rest[i];
  return factor;
}

Term plain(const Lifted& lifted) { return view_of(lifted.atom, lifted.layout); }

// The sum of the terms, of which there is one at least.
Request sum_request(std::span<const Term> terms, const Shape& size, DType dtype) {
  Request request;
  request.kind = Instance::Kind::kCombine;
  request.dtype = dtype;
  std::vector<const Layout*> layouts;
  for (const Term& term : terms) {
    Instance::CombineTerm part;
    part.coef = term.coef;
    part.operand = static_cast<int32_t>(request.operands.size());
    request.operands.push_back({term.atom, term.layout.offset});
    layouts.push_back(&term.layout);
    for (const Restriction& r : term.restrictions) {
      part.restrictions.push_back(r);
      if (r.kind != Restriction::Kind::kGuard) continue;
      part.guard_operands.push_back(static_cast<int32_t>(request.operands.size()));
      request.operands.push_back({r.atom, r.where.offset});
      layouts.push_back(&r.where);
      part.restrictions.back().where = {};
    }
    request.terms.push_back(std::move(part));
  }
  add_parallel_labels(request, layouts, size);
  return request;
}

}  // namespace

Term materialize(Lifting& lifting, const Tile& tile, const Shape& size, DType dtype) {
  Request request;
  request.dtype = dtype;
  if (!tile.integer.empty()) {
    const PiecewiseAffine& integer = tile.integer[0];
    request.kind = Instance::Kind::kMap;
    request.fn = affine_text(integer);
    request.operands = {{integer.atom, integer.layout.offset}};
    const Layout* layout = &integer.layout;
    add_parallel_labels(request, {&layout, 1}, size);
    return plain(lifting.lift(request));
  }
  if (tile.terms.size() == 1 && is_plain(tile.terms[0])) return tile.terms[0];
  if (tile.terms.empty()) {
    request.kind = Instance::Kind::kCombine;
    return view_of(lifting.lift(request).atom, broadcast(size));
  }
  refuse_unwritten_sum(lifting, tile.terms);
  return plain(lifting.lift(sum_request(tile.terms, size, dtype)));
}

namespace {

// As many terms are unfolded at most: enough for sums near by, while sums along the whole depth of
// a model keep their names.
constexpr size_t kMostUnfolded = 16;

// A sum of whole finite terms.
bool names_sum(const Lifting& lifting, AtomId id) {
  if (!lifting.is_instance(id, Instance::Kind::kCombine)) return false;
  const Instance& instance = lifting.instance_of(id);
  return is_floating(lifting.atom(id).dtype) &&
         std::all_of(instance.terms.begin(), instance.terms.end(),
                     [](const auto& term) { return term.restrictions.empty(); }) &&
         std::all_of(instance.operands.begin(), instance.operands.end(), [&](const auto& operand) {
           return operand.atom != lifting.infinity() && operand.atom != lifting.nan();
         });
}

}  // namespace

void as_terms(Lifting& lifting, Tile& tile, const Shape& size, DType dtype) {
  if (tile.integer.empty()) return;
  tile.terms = {materialize(lifting, tile, size, dtype)};
  tile.integer.clear();
}

void as_terms(Lifting& lifting, Value& value, DType dtype) {
  for (size_t t = 0; t < value.tiles.size(); ++t)
    if (!value.tiles[t].integer.empty())
      as_terms(lifting, value.tiles[t], tile_size(value, t), dtype);
}

// Sums of the same terms become equal so, whatever the order in which they were added up.
std::vector<Term> unfold_names(const Lifting& lifting, std::vector<Term> terms) {
  std::vector<AtomId> kept;
  for (;;) {
    auto newest = terms.end();
    for (auto term = terms.begin(); term != terms.end(); ++term) {
      if ((newest == terms.end() || term->atom > newest->atom) && names_sum(lifting, term->atom) &&
          std::find(kept.begin(), kept.end(), term->atom) == kept.end())
        newest = term;
    }
    if (newest == terms.end()) return terms;
    const auto definition = lifting.unfold(*newest);
    if (!definition || terms.size() - 1 + definition->size() > kMostUnfolded) {
      kept.push_back(newest->atom);
      continue;
    }
    terms.erase(newest);
    terms.insert(terms.end(), definition->begin(), definition->end());
    combine(terms);
  }
}

namespace {

// The whole of an instance's output, a dimension for each label.
std::pair<Term, Shape> whole_of(const Instance& instance) {
  std::pair<Term, Shape> whole;
  whole.first.atom = instance.output;
  for (const InstanceLabel& label : instance.labels) {
    whole.second.push_back(label.size);
    whole.first.layout.dims.push_back({});
    if (label.size > 1) whole.first.layout.dims.back().push_back({label.size, label.out_stride});
  }
  return whole;
}

// Makes a new name known by its unfolded terms as well.
void remember_unfolded(Lifting& lifting, AtomId name, DType dtype) {
  const auto [view, shape] = whole_of(lifting.instance_of(name));
  std::vector<Term> terms = unfold_names(lifting, {view});
  if (terms.size() < 2) return;
  const Rational factor = take_factor(terms);
  try {
    lifting.remember_as(sum_request(terms, shape, dtype), view, factor);
  } catch (const NotLifted&) {
    // Digits that do not nest: the sum is known by its name alone.
  }
}

// A name that the sum has in the terms that are left when names are unfolded.
std::optional<Term> find_unfolded(const Lifting& lifting, std::vector<Term> flat, const Shape& size,
                                  DType dtype) {
  const Rational factor = take_factor(flat);
  try {
    auto known = lifting.find_remembered(sum_request(flat, size, dtype));
    if (known) known->coef = known->coef * factor;
    return known;
  } catch (const NotLifted&) {
    return std::nullopt;
  }
}

// One term for a sum: a name, of which there is one for the same terms and for the terms that are
// left when names are unfolded. No term where these cancel.
std::vector<Term> name_sum(Lifting& lifting, const std::vector<Term>& terms, const Shape& size,
                           DType dtype) {
  const Request request = sum_request(terms, size, dtype);
  if (const auto known = lifting.find(request)) return {plain(*known)};
  const std::vector<Term> flat = unfold_names(lifting, terms);
  if (flat.size() < 2) return flat;
  if (auto known = find_unfolded(lifting, flat, size, dtype)) return {std::move(*known)};
  const Term named = plain(lifting.lift(request));
  remember_unfolded(lifting, named.atom, dtype);
  return {named};
}

}  // namespace

void name_sums(Lifting& lifting, Value& value, DType dtype) {
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    Tile& tile = value.tiles[t];
    if (tile.terms.size() < 2) continue;
    if (std::any_of(tile.terms.begin(), tile.terms.end(),
                    [](const Term& term) { return !term.restrictions.empty(); })) {
      continue;
    }
    const Shape size = tile_size(value, t);
    if (!is_floating(dtype) && as_affine(lifting, tile, size)) continue;
    if (!is_floating(dtype)) {
      tile.terms = {materialize(lifting, tile, size, dtype)};
      continue;
    }
    if (std::any_of(tile.terms.begin(), tile.terms.end(),
                    [&](const Term& term) { return lifting.is_unwritten(term.atom); }))
      continue;
    const Rational factor = take_factor(tile.terms);
    tile.terms = name_sum(lifting, tile.terms, size, dtype);
    for (Term& term : tile.terms) term.coef = term.coef * factor;
  }
  merge_tiles(value);
}

}  // namespace assay
