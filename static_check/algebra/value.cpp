#include "static_check/algebra/value.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"

namespace assay {

Value single_tile(Shape shape, Tile tile) {
  Value value;
  value.shape = std::move(shape);
  for (Int size : value.shape) value.cuts.push_back({0, size});
  value.tiles.push_back(std::move(tile));
  return value;
}

Value single_term(Shape shape, Term term) {
  Tile tile;
  tile.terms.push_back(std::move(term));
  return single_tile(std::move(shape), std::move(tile));
}

Term view_of(AtomId atom, Layout layout) {
  Term view;
  view.atom = atom;
  view.layout = std::move(layout);
  return view;
}

size_t tile_count(const Value& value) {
  size_t count = 1;
  for (const auto& cuts : value.cuts) count *= cuts.size() - 1;
  return count;
}

TileBox tile_box(const Value& value, size_t tile) {
  TileBox box;
  box.start.resize(value.shape.size());
  box.size.resize(value.shape.size());
  for (size_t d = value.shape.size(); d-- > 0;) {
    const size_t cells = value.cuts[d].size() - 1;
    const size_t cell = tile % cells;
    tile /= cells;
    box.start[d] = value.cuts[d][cell];
    box.size[d] = value.cuts[d][cell + 1] - value.cuts[d][cell];
  }
  return box;
}

Shape tile_size(const Value& value, size_t tile) {
  if (tile_count(value) == 1) return value.shape;
  return tile_box(value, tile).size;
}

void for_each_cell(const Shape& sizes, const std::function<void(const Shape& cell)>& visit) {
  Shape cell(sizes.size(), 0);
  while (true) {
    visit(cell);
    size_t d = sizes.size();
    while (d-- > 0) {
      if (++cell[d] < sizes[d]) break;
      cell[d] = 0;
    }
    if (d == SIZE_MAX) return;
  }
}

Tile slice_tile(Tile tile, const Shape& start, const Shape& size) {
  const bool sliced = map_layouts(tile, [&](Layout& layout) {
    for (size_t d = 0; d < start.size(); ++d) {
      if (start[d] == 0 && size[d] == extent(layout.dims[d])) continue;
      slice(layout, static_cast<Int>(d), start[d], size[d]);
    }
    return true;
  });
  ASSAY_CHECK(sliced, "a tile is cut where its layouts allow");
  return tile;
}

Value scale(Value value, const Rational& by) {
  for (Tile& tile : value.tiles) {
    for (Term& term : tile.terms) term.coef = term.coef * by;
    combine(tile.terms);
  }
  return value;
}

Value add(std::vector<Value> values) {
  align(values);
  Value result = std::move(values[0]);
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    for (size_t v = 1; v < values.size(); ++v) {
      auto& terms = values[v].tiles[t].terms;
      result.tiles[t].terms.insert(result.tiles[t].terms.end(), terms.begin(), terms.end());
    }
    combine(result.tiles[t].terms);
  }
  return result;
}

bool equal(const Value& a, const Value& b) {
  if (a.shape != b.shape) return false;
  const Aligned both(a, b);
  return both.first().tiles == both.second().tiles;
}

}  // namespace assay
