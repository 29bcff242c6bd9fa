#include "static_check/algebra/grid.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"

namespace assay {

size_t cell_of(std::span<const Int> cuts, Int position) {
  return static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), position) - cuts.begin()) -
         1;
}

size_t tile_index(const Value& value, const std::vector<size_t>& cells) {
  size_t index = 0;
  for (size_t d = 0; d < cells.size(); ++d) index = index * (value.cuts[d].size() - 1) + cells[d];
  return index;
}

namespace {

void add_layout_cuts(const Layout& layout, size_t dim, Int start, Int count, Int base, Cuts& cuts) {
  for (Int cut : slice_cuts(layout.dims[dim], start, count)) cuts.push_back(base + cut);
}

void add_tile_cuts(const Tile& tile, size_t dim, Int start, Int count, Int base, Cuts& cuts) {
  for (const Term& term : tile.terms) {
    add_layout_cuts(term.layout, dim, start, count, base, cuts);
    for (const Restriction& r : term.restrictions) {
      if (r.kind == Restriction::Kind::kGuard)
        add_layout_cuts(r.where, dim, start, count, base, cuts);
    }
  }
  for (const PiecewiseAffine& integer : tile.integer)
    add_layout_cuts(integer.layout, dim, start, count, base, cuts);
}
// The cuts that make every piece of every tile expressible, given the wanted ones.
Grid closed_cuts(const Value& value, Grid wanted) {
  for (size_t d = 0; d < value.shape.size(); ++d) {
    wanted[d].insert(wanted[d].end(), value.cuts[d].begin(), value.cuts[d].end());
    sort_unique(wanted[d]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t d = 0; d < value.shape.size(); ++d) {
      if (wanted[d].size() == value.cuts[d].size()) continue;
      Cuts more = wanted[d];
      for (size_t t = 0; t < value.tiles.size(); ++t) {
        const TileBox box = tile_box(value, t);
        const Int end = box.start[d] + box.size[d];
        for (size_t c = 0; c + 1 < wanted[d].size(); ++c) {
          if (wanted[d][c] < box.start[d] || wanted[d][c] >= end) continue;
          add_tile_cuts(value.tiles[t], d, wanted[d][c] - box.start[d],
                        wanted[d][c + 1] - wanted[d][c], box.start[d], more);
        }
      }
      sort_unique(more);
      if (more.size() != wanted[d].size()) {
        wanted[d] = std::move(more);
        changed = true;
      }
    }
  }
  return wanted;
}

}  // namespace

Value cut(Value value, const Grid& positions) {
  Value result;
  result.shape = value.shape;
  result.cuts = closed_cuts(value, positions);
  if (result.cuts == value.cuts) return value;
  const size_t count = tile_count(result);
  result.tiles.reserve(count);
  for (size_t t = 0; t < count; ++t) {
    TileBox box = tile_box(result, t);
    std::vector<size_t> cells(box.start.size());
    for (size_t d = 0; d < cells.size(); ++d) {
      cells[d] = cell_of(value.cuts[d], box.start[d]);
      box.start[d] -= value.cuts[d][cells[d]];
    }
    result.tiles.push_back(slice_tile(value.tiles[tile_index(value, cells)], box.start, box.size));
  }
  return result;
}

void align(std::vector<Value>& values) {
  const auto same_grid = [&] {
    return std::all_of(values.begin(), values.end(),
                       [&](const Value& v) { return v.cuts == values[0].cuts; });
  };
  while (!same_grid()) {
    auto cuts = values[0].cuts;
    for (const Value& value : values) {
      for (size_t d = 0; d < cuts.size(); ++d)
        cuts[d].insert(cuts[d].end(), value.cuts[d].begin(), value.cuts[d].end());
    }
    for (auto& list : cuts) sort_unique(list);
    for (Value& value : values) value = cut(std::move(value), cuts);
  }
}

Aligned::Aligned(const Value& a, const Value& b) : a_(a), b_(b) {
  if (a.cuts == b.cuts) return;
  made_ = {a, b};
  align(made_);
}

namespace {

std::optional<Tile> join_tiles(const Tile& a, Int a_size, const Tile& b, Int b_size, Int dim) {
  if (a.terms.size() != b.terms.size() || a.integer.size() != b.integer.size()) return std::nullopt;
  Tile result = a;
  for (size_t i = 0; i < a.terms.size(); ++i) {
    const Term& x = a.terms[i];
    const Term& y = b.terms[i];
    if (x.coef != y.coef || x.atom != y.atom || x.restrictions.size() != y.restrictions.size())
      return std::nullopt;
    auto layout = join(x.layout, a_size, y.layout, b_size, dim);
    if (!layout) return std::nullopt;
    result.terms[i].layout = std::move(*layout);
    for (size_t k = 0; k < x.restrictions.size(); ++k) {
      Restriction r = x.restrictions[k], s = y.restrictions[k];
      if (r.kind == Restriction::Kind::kGuard && s.kind == Restriction::Kind::kGuard) {
        auto where = join(r.where, a_size, s.where, b_size, dim);
        if (!where) return std::nullopt;
        result.terms[i].restrictions[k].where = std::move(*where);
        r.where = s.where = {};
      }
      if (!(r == s)) return std::nullopt;
    }
  }
  for (size_t i = 0; i < a.integer.size(); ++i) {
    if (a.integer[i].atom != b.integer[i].atom || a.integer[i].pieces != b.integer[i].pieces)
      return std::nullopt;
    auto layout = join(a.integer[i].layout, a_size, b.integer[i].layout, b_size, dim);
    if (!layout) return std::nullopt;
    result.integer[i].layout = std::move(*layout);
  }
  return result;
}

// Joins slabs along dim with the one before, where every pair of tiles joins. Whether any did.
bool join_slabs(Value& value, size_t dim) {
  const Cuts cuts = value.cuts[dim];
  const size_t cells = cuts.size() - 1;
  size_t inner = 1, outer = 1;
  for (size_t d = 0; d < value.cuts.size(); ++d)
    (d < dim ? outer : inner) *= d == dim ? 1 : value.cuts[d].size() - 1;
  const auto tile = [&](size_t o, size_t cell, size_t i) -> Tile& {
    return value.tiles[(o * cells + cell) * inner + i];
  };
  std::vector<size_t> kept{0};  // the first cell of each slab; what it joined lies there
  std::vector<Tile> joined;
  for (size_t cell = 1; cell < cells; ++cell) {
    const Int a_size = cuts[cell] - cuts[kept.back()], b_size = cuts[cell + 1] - cuts[cell];
    joined.clear();
    for (size_t o = 0; o < outer && joined.size() == o * inner; ++o) {
      for (size_t i = 0; i < inner; ++i) {
        auto both = join_tiles(tile(o, kept.back(), i), a_size, tile(o, cell, i), b_size,
                               static_cast<Int>(dim));
        if (!both) break;
        joined.push_back(std::move(*both));
      }
    }
    if (joined.size() < outer * inner) {
      kept.push_back(cell);
      continue;
    }
    for (size_t o = 0, next = 0; o < outer; ++o)
      for (size_t i = 0; i < inner; ++i) tile(o, kept.back(), i) = std::move(joined[next++]);
  }
  if (kept.size() == cells) return false;
  std::vector<Tile> tiles;
  tiles.reserve(outer * kept.size() * inner);
  for (size_t o = 0; o < outer; ++o)
    for (const size_t cell : kept)
      for (size_t i = 0; i < inner; ++i) tiles.push_back(std::move(tile(o, cell, i)));
  value.tiles = std::move(tiles);
  value.cuts[dim].clear();
  for (const size_t cell : kept) value.cuts[dim].push_back(cuts[cell]);
  value.cuts[dim].push_back(cuts.back());
  return true;
}

}  // namespace

void merge_tiles(Value& value) {
  if (value.tiles.size() <= 1) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t d = 0; d < value.cuts.size(); ++d) changed |= join_slabs(value, d);
  }
}

}  // namespace assay
