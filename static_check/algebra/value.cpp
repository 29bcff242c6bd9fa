#include "static_check/algebra/value.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/error.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"

namespace assay {

Value single_tile(Shape shape, Tile tile) {
  Value value;
  value.shape = std::move(shape);
  for (int64_t size : value.shape) value.cuts.push_back({0, size});
  value.tiles.push_back(std::move(tile));
  return value;
}

Value single_term(Shape shape, Term term) {
  Tile tile;
  tile.terms.push_back(std::move(term));
  return single_tile(std::move(shape), std::move(tile));
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

std::optional<Tile> map_layouts(const Tile& tile,
                                const std::function<std::optional<Layout>(const Layout&)>& map) {
  Tile result = tile;
  for (Term& term : result.terms) {
    auto layout = map(term.layout);
    if (!layout) return std::nullopt;
    term.layout = std::move(*layout);
    for (Restriction& r : term.restrictions) {
      if (r.kind != Restriction::Kind::kGuard) continue;
      auto where = map(r.where);
      if (!where) return std::nullopt;
      r.where = std::move(*where);
    }
    // Guards that coincide on the mapped coordinates become one.
    if (!normalize(term.restrictions)) term.coef = 0;
  }
  std::erase_if(result.terms, [](const Term& term) { return term.coef.is_zero(); });
  if (result.terms.size() > 1) combine(result.terms);
  for (PiecewiseAffine& integer : result.integer) {
    auto layout = map(integer.layout);
    if (!layout) return std::nullopt;
    integer.layout = std::move(*layout);
  }
  return result;
}

Tile slice_tile(const Tile& tile, const Shape& start, const Shape& size) {
  auto result = map_layouts(tile, [&](const Layout& layout) -> std::optional<Layout> {
    Layout out = layout;
    for (size_t d = 0; d < start.size(); ++d) {
      if (start[d] == 0 && size[d] == extent(out.dims[d])) continue;
      out = slice(out, static_cast<int64_t>(d), start[d], size[d]);
    }
    return out;
  });
  return std::move(*result);
}

namespace {

void add_layout_cuts(const Layout& layout, size_t dim, int64_t start, int64_t count, int64_t base,
                     std::vector<int64_t>& cuts) {
  for (int64_t cut : slice_cuts(layout.dims[dim], start, count)) cuts.push_back(base + cut);
}

void add_tile_cuts(const Tile& tile, size_t dim, int64_t start, int64_t count, int64_t base,
                   std::vector<int64_t>& cuts) {
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

void sort_unique(std::vector<int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

size_t cell_of(const std::vector<int64_t>& cuts, int64_t position) {
  return static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), position) - cuts.begin()) -
         1;
}

size_t tile_index(const Value& value, const std::vector<size_t>& cells) {
  size_t index = 0;
  for (size_t d = 0; d < cells.size(); ++d) index = index * (value.cuts[d].size() - 1) + cells[d];
  return index;
}

// The cuts that make every piece of every tile expressible, given the wanted ones.
std::vector<std::vector<int64_t>> closed_cuts(const Value& value,
                                              std::vector<std::vector<int64_t>> wanted) {
  for (size_t d = 0; d < value.shape.size(); ++d) {
    wanted[d].insert(wanted[d].end(), value.cuts[d].begin(), value.cuts[d].end());
    sort_unique(wanted[d]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t d = 0; d < value.shape.size(); ++d) {
      if (wanted[d].size() == value.cuts[d].size()) continue;
      std::vector<int64_t> more = wanted[d];
      for (size_t t = 0; t < value.tiles.size(); ++t) {
        const TileBox box = tile_box(value, t);
        const int64_t end = box.start[d] + box.size[d];
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

Value cut(const Value& value, const std::vector<std::vector<int64_t>>& positions) {
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
    for (Value& value : values) value = cut(value, cuts);
  }
}

namespace {

std::optional<Tile> join_tiles(const Tile& a, int64_t a_size, const Tile& b, int64_t b_size,
                               int64_t dim) {
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

// Joins the slabs `cell` and `cell + 1` along dim if every pair of tiles joins.
bool join_slabs(Value& value, size_t dim, size_t cell) {
  const auto& cuts = value.cuts[dim];
  const int64_t a_size = cuts[cell + 1] - cuts[cell], b_size = cuts[cell + 2] - cuts[cell + 1];
  size_t inner = 1, outer = 1;
  for (size_t d = 0; d < value.cuts.size(); ++d)
    (d < dim ? outer : inner) *= d == dim ? 1 : value.cuts[d].size() - 1;
  const size_t cells = cuts.size() - 1;
  std::vector<Tile> joined;
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      const size_t first = (o * cells + cell) * inner + i;
      auto tile = join_tiles(value.tiles[first], a_size, value.tiles[first + inner], b_size,
                             static_cast<int64_t>(dim));
      if (!tile) return false;
      joined.push_back(std::move(*tile));
    }
  }
  std::vector<Tile> tiles;
  tiles.reserve(value.tiles.size() - joined.size());
  for (size_t o = 0, next = 0; o < outer; ++o) {
    for (size_t c = 0; c < cells; ++c) {
      for (size_t i = 0; i < inner; ++i) {
        if (c == cell + 1) continue;
        tiles.push_back(c == cell ? std::move(joined[next++])
                                  : std::move(value.tiles[(o * cells + c) * inner + i]));
      }
    }
  }
  value.tiles = std::move(tiles);
  value.cuts[dim].erase(value.cuts[dim].begin() + static_cast<ptrdiff_t>(cell) + 1);
  return true;
}

}  // namespace

void merge_tiles(Value& value) {
  if (value.tiles.size() == 1) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t d = 0; d < value.cuts.size(); ++d) {
      for (size_t cell = 0; cell + 2 < value.cuts[d].size();) {
        if (join_slabs(value, d, cell)) {
          changed = true;
        } else {
          ++cell;
        }
      }
    }
  }
}

Value permute(const Value& value, std::span<const int64_t> dims) {
  Value result;
  for (int64_t d : dims) {
    result.shape.push_back(value.shape[static_cast<size_t>(d)]);
    result.cuts.push_back(value.cuts[static_cast<size_t>(d)]);
  }
  Shape cells;
  for (const auto& cuts : result.cuts) cells.push_back(static_cast<int64_t>(cuts.size()) - 1);
  for_each_cell(cells, [&](const Shape& cell) {
    std::vector<size_t> source(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      source[static_cast<size_t>(dims[i])] = static_cast<size_t>(cell[i]);
    result.tiles.push_back(
        *map_layouts(value.tiles[tile_index(value, source)],
                     [&](const Layout& layout) { return std::optional(permute(layout, dims)); }));
  });
  return result;
}

Value slice(const Value& value, int64_t dim, int64_t start, int64_t count, int64_t step) {
  const auto d = static_cast<size_t>(dim);
  std::vector<std::vector<int64_t>> wanted(value.shape.size());
  const int64_t end = start + (count - 1) * step + 1;
  wanted[d] = {start, end};
  if (step > 1) {
    for (int64_t i = 0; i < count && value.tiles.size() > 1; ++i)
      wanted[d].insert(wanted[d].end(), {start + i * step, start + i * step + 1});
  }
  std::erase_if(wanted[d], [&](int64_t x) { return x <= 0 || x >= value.shape[d]; });
  Value fine = cut(value, wanted);
  if (step > 1) {
    // Every step-th element of each tile, where the tile's layout allows it; else element by
    // element.
    std::vector<Value> pieces;
    if (fine.tiles.size() >= 1) {
      const Value middle = slice(fine, dim, start, end - start);
      if (middle.cuts[d].size() == 2) {
        Value result = middle;
        result.shape[d] = count;
        result.cuts[d] = {0, count};
        bool ok = true;
        for (Tile& tile : result.tiles) {
          auto mapped = map_layouts(
              tile, [&](const Layout& layout) { return stride_by(layout, dim, step, count); });
          if (!mapped) {
            ok = false;
            break;
          }
          tile = std::move(*mapped);
        }
        if (ok) return result;
      }
      for (int64_t i = 0; i < count; ++i) pieces.push_back(slice(middle, dim, i * step, 1));
    }
    Value result = concat(pieces, dim);
    merge_tiles(result);
    return result;
  }
  Value result;
  result.shape = fine.shape;
  result.shape[d] = count;
  result.cuts = fine.cuts;
  std::erase_if(result.cuts[d], [&](int64_t x) { return x < start || x > end; });
  for (int64_t& x : result.cuts[d]) x -= start;
  const size_t count_tiles = tile_count(result);
  for (size_t t = 0; t < count_tiles; ++t) {
    const TileBox box = tile_box(result, t);
    std::vector<size_t> cells(box.start.size());
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] = cell_of(fine.cuts[i], box.start[i] + (i == d ? start : 0));
    result.tiles.push_back(fine.tiles[tile_index(fine, cells)]);
  }
  return result;
}

Value concat(std::span<const Value> values, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  std::vector<std::vector<int64_t>> wanted(values[0].shape.size());
  for (const Value& value : values) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i != d) wanted[i].insert(wanted[i].end(), value.cuts[i].begin(), value.cuts[i].end());
    }
  }
  std::vector<Value> fine(values.begin(), values.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& list : wanted) sort_unique(list);
    for (Value& value : fine) {
      value = cut(value, wanted);
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (i == d || value.cuts[i].size() == wanted[i].size()) continue;
        wanted[i].insert(wanted[i].end(), value.cuts[i].begin(), value.cuts[i].end());
        changed = true;
      }
    }
  }
  Value result;
  result.shape = fine[0].shape;
  result.cuts = fine[0].cuts;
  result.shape[d] = 0;
  result.cuts[d] = {0};
  for (const Value& value : fine) {
    for (size_t c = 1; c < value.cuts[d].size(); ++c)
      result.cuts[d].push_back(result.shape[d] + value.cuts[d][c]);
    result.shape[d] += value.shape[d];
  }
  size_t outer = 1, inner = 1;
  for (size_t i = 0; i < result.cuts.size(); ++i) {
    if (i != d) (i < d ? outer : inner) *= result.cuts[i].size() - 1;
  }
  for (size_t o = 0; o < outer; ++o) {
    for (Value& value : fine) {
      const size_t block = (value.cuts[d].size() - 1) * inner;
      for (size_t i = 0; i < block; ++i) result.tiles.push_back(value.tiles[o * block + i]);
    }
  }
  merge_tiles(result);
  return result;
}

Value expand(const Value& value, const Shape& shape) {
  Value result = value;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (value.shape[d] == shape[d]) continue;
    result.shape[d] = shape[d];
    result.cuts[d] = {0, shape[d]};
    for (Tile& tile : result.tiles) {
      tile = *map_layouts(tile, [&](const Layout& layout) {
        return std::optional(expand(layout, static_cast<int64_t>(d), shape[d]));
      });
    }
  }
  return result;
}

namespace {

// A group of neighbouring dimensions whose product is the same on both sides of a reshape.
struct DimGroup {
  size_t in_begin, in_end, out_begin, out_end;
};

std::vector<DimGroup> group_dims(const Shape& in, const Shape& out) {
  std::vector<DimGroup> groups;
  size_t i = 0, o = 0;
  while (i < in.size() || o < out.size()) {
    DimGroup group{i, i, o, o};
    int64_t a = 1, b = 1;
    do {
      if (a <= b && i < in.size() && (a < b || group.in_end == group.in_begin)) {
        a *= in[i++];
        group.in_end = i;
      } else if (o < out.size()) {
        b *= out[o++];
        group.out_end = o;
      } else {
        a *= in[i++];
        group.in_end = i;
      }
    } while (a != b || (group.in_end == group.in_begin && i < in.size()));
    groups.push_back(group);
  }
  return groups;
}

}  // namespace

std::optional<Value> reshape(const Value& value, const Shape& shape) {
  if (value.shape == shape) return value;
  Value result;
  result.shape = shape;
  if (value.tiles.size() == 1) {
    auto tile =
        map_layouts(value.tiles[0], [&](const Layout& layout) { return reshape(layout, shape); });
    if (!tile) return std::nullopt;
    return single_tile(shape, std::move(*tile));
  }
  // Cuts survive where they lie in the outermost varying dimension of a group, on both sides.
  result.cuts.resize(shape.size());
  for (const DimGroup& group : group_dims(value.shape, shape)) {
    size_t in_outer = group.in_begin;
    while (in_outer < group.in_end && value.shape[in_outer] == 1) ++in_outer;
    size_t out_outer = group.out_begin;
    while (out_outer < group.out_end && shape[out_outer] == 1) ++out_outer;
    for (size_t o = group.out_begin; o < group.out_end; ++o) result.cuts[o] = {0, shape[o]};
    int64_t in_inner = 1, out_inner = 1;
    for (size_t i = in_outer + 1; i < group.in_end; ++i) {
      if (value.cuts[i].size() > 2) return std::nullopt;
      in_inner *= value.shape[i];
    }
    for (size_t o = out_outer + 1; o < group.out_end; ++o) out_inner *= shape[o];
    if (in_outer == group.in_end || value.cuts[in_outer].size() == 2) continue;
    if (out_outer == group.out_end) return std::nullopt;
    result.cuts[out_outer].clear();
    for (int64_t position : value.cuts[in_outer]) {
      if (position * in_inner % out_inner != 0) return std::nullopt;
      result.cuts[out_outer].push_back(position * in_inner / out_inner);
    }
  }
  const size_t count = tile_count(result);
  if (count != value.tiles.size()) return std::nullopt;
  for (size_t t = 0; t < count; ++t) {
    const Shape size = tile_box(result, t).size;
    auto tile =
        map_layouts(value.tiles[t], [&](const Layout& layout) { return reshape(layout, size); });
    if (!tile) return std::nullopt;
    result.tiles.push_back(std::move(*tile));
  }
  return result;
}

Value scale(const Value& value, const Rational& by) {
  Value result = value;
  for (Tile& tile : result.tiles) {
    for (Term& term : tile.terms) term.coef = term.coef * by;
    combine(tile.terms);
  }
  return result;
}

Value add(std::vector<Value> values) {
  align(values);
  Value result = values[0];
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
  std::vector<Value> both{a, b};
  align(both);
  return both[0].tiles == both[1].tiles;
}

}  // namespace assay
