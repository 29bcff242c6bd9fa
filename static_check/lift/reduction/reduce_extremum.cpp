// Extrema over dimensions, and extrema over ranks that unite parts of one.
#include <algorithm>

#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"
#include "static_check/lift/reduction/reduced_dims.h"

namespace assay {

namespace {

// The one term of a tile, where it is (a part of) an extremum of this kind and nothing else.
const Term* extremum_part(const Lifting& lifting, Instance::Kind kind, const Tile& tile) {
  if (tile.terms.size() != 1 || !tile.integer.empty()) return nullptr;
  const Term& term = tile.terms[0];
  if (!term.coef.is_one()) return nullptr;
  if (term.restrictions.empty()) return &term;
  const Universe& universe = lifting.universe();
  const int32_t made = universe.atoms[static_cast<size_t>(term.atom)].instance;
  if (!all_are(term.restrictions, Restriction::Kind::kMax) || made == kNone ||
      universe.instances[static_cast<size_t>(made)].kind != kind)
    return nullptr;
  return &term;
}

// Two parts of one extremum as one; nullopt where no part is both.
std::optional<Term> united(const Term& x, const Term& y) {
  if (x.atom != y.atom || !(x.layout == y.layout)) return std::nullopt;
  if (x == y || x.restrictions.empty()) return x;
  if (y.restrictions.empty()) return y;
  if (x.restrictions.size() != 1 || y.restrictions.size() != 1 ||
      !same_key(x.restrictions[0], y.restrictions[0]))
    return std::nullopt;
  Term result = x;
  auto& intervals = result.restrictions[0].intervals;
  intervals = unite(intervals, y.restrictions[0].intervals);
  normalize(result.restrictions);
  return result;
}

}  // namespace

Value reduce_extremum(Lifting& lifting, Instance::Kind kind, const Value& value,
                      std::span<const Int> dims, DType dtype) {
  bool apart = false;  // there are tiles that are no parts of one extremum
  Value result =
      for_each_reduced_tile(value, dims, [&](Tile& out, const Tile& tile, const Shape& size) {
        const Term term = materialize(lifting, tile, size, dtype);
        Request request;
        request.kind = kind;
        request.dtype = dtype;
        request.operands = {{term.atom, term.layout.offset}};
        add_reduction_labels(request, term.layout, size, dims);
        Term part = term;
        part.layout = drop_dims(term.layout, dims);
        std::optional<Lifted> lifted =
            reduces(request) ? lifting.lift(request) : lifting.find(request);
        if (lifted) {
          part.atom = lifted->atom;
          part.layout = lifted->layout;
          part.restrictions = lifted->boxes;
        }
        Tile piece{{std::move(part)}, {}};
        const Term* before = extremum_part(lifting, kind, out);
        const Term* here = extremum_part(lifting, kind, piece);
        const auto both = before && here ? united(*before, *here) : std::nullopt;
        if (out.terms.empty())
          out = std::move(piece);
        else if (both)
          out.terms = {*both};
        else
          apart = true;
      });
  if (apart) {
    Value joined = value;
    for (const Int dim : dims) joined = join_dim(lifting, joined, dim, dtype);
    return reduce_extremum(lifting, kind, joined, dims, dtype);
  }
  merge_tiles(result);
  return result;
}

std::optional<Value> extremum(Lifting& lifting, Instance::Kind kind, std::vector<Value> values,
                              DType dtype) {
  if (std::all_of(values.begin(), values.end(),
                  [&](const Value& value) { return equal(value, values.front()); }))
    return std::move(values.front());
  align(values);
  Value result = values[0];
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    std::vector<Term> parts;
    for (const Value& value : values) {
      const Term* part = extremum_part(lifting, kind, value.tiles[t]);
      if (part == nullptr) return std::nullopt;
      parts.push_back(*part);
    }
    std::optional<Term> whole = whole_of_maxima(lifting, parts);
    if (!whole) whole = known_extremum(lifting, kind, parts, tile_size(result, t), dtype);
    if (!whole) {
      whole = parts[0];
      for (size_t i = 1; whole && i < parts.size(); ++i) whole = united(*whole, parts[i]);
    }
    if (!whole) return std::nullopt;
    result.tiles[t].terms = {std::move(*whole)};
  }
  merge_tiles(result);
  return result;
}

}  // namespace assay
