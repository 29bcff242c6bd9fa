// Values on tile grids (proof.h): movement, refinement of grids, and structural equality.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"

namespace assay {

// One tile over the whole shape. Without elements: one without terms.
Value single_tile(Shape shape, Tile tile);
Value single_term(Shape shape, Term term);

// The atom as seen through the layout: coefficient 1, no restrictions.
Term view_of(AtomId atom, Layout layout);

// Row-major position of a tile in Value::tiles; its first coordinate and its shape.
struct TileBox {
  Shape start;
  Shape size;
};
TileBox tile_box(const Value& value, size_t tile);
Shape tile_size(const Value& value, size_t tile);
size_t tile_count(const Value& value);

// Part of a tile: coordinates [start, start + size) of the tile. nullopt-free: cuts that the
// layouts need must be made first.
Tile slice_tile(Tile tile, const Shape& start, const Shape& size);

// Applies a map to every layout of the tile (terms, guards, integer map), in place: `map` changes
// the layout it is given, or returns false. False when it fails for one of them; the tile is then
// of no use.
template <typename Map>
[[nodiscard]] bool map_layouts(Tile& tile, const Map& map) {
  for (Term& term : tile.terms) {
    if (!map(term.layout)) return false;
    if (term.restrictions.empty()) continue;
    for (Restriction& r : term.restrictions)
      if (r.kind == Restriction::Kind::kGuard && !map(r.where)) return false;
    // Guards that coincide on the mapped coordinates become one.
    if (!normalize(term.restrictions)) term.coef = 0;
  }
  combine(tile.terms);
  for (PiecewiseAffine& integer : tile.integer)
    if (!map(integer.layout)) return false;
  return true;
}

// The same value with these additional cut positions per dimension, and those that hierarchical
// layouts then need.
Value cut(Value value, const Grid& positions);

// Brings values of the same shape to one grid.
void align(std::vector<Value>& values);

// Two values of one shape on one grid: themselves, where their grids agree. They must outlive this.
class Aligned {
 public:
  Aligned(const Value& a, const Value& b);
  const Value& first() const { return made_.empty() ? a_ : made_[0]; }
  const Value& second() const { return made_.empty() ? b_ : made_[1]; }

 private:
  const Value& a_;
  const Value& b_;
  std::vector<Value> made_;  // both, or none
};

// Joins neighbouring tiles that are adjacent views of the same terms; drops cuts that are not
// needed.
void merge_tiles(Value& value);

// Whether some term of some tile is such.
template <class Such>
bool any_term(const Value& value, const Such& such) {
  return std::any_of(value.tiles.begin(), value.tiles.end(), [&](const Tile& tile) {
    return std::any_of(tile.terms.begin(), tile.terms.end(), such);
  });
}

Value permute(const Value& value, std::span<const Int> dims);
Value slice(const Value& value, Int dim, Int start, Int count, Int step = 1);
Value concat(std::span<const Value> values, Int dim);
// `dim` has size 1 and is repeated.
Value expand(Value value, const Shape& shape);

// nullopt when a tile boundary or a digit would be cut unevenly: the caller materialises first.
std::optional<Value> reshape(const Value& value, const Shape& shape);
// Any reshape, with a tile for every element that does not continue its neighbour. The shapes have
// as many elements as each other.
Value reshape_by_elements(const Value& value, const Shape& shape);

Value scale(Value value, const Rational& by);
// Sum of values of one shape (terms only, no integer maps): like terms combined.
Value add(std::vector<Value> values);

// Equal functions, term by term, whatever their grids.
bool equal(const Value& a, const Value& b);

// Runs over all coordinates of a grid with `sizes` cells, row-major.
void for_each_cell(const Shape& sizes, const std::function<void(const Shape& cell)>& visit);

}  // namespace assay
