// Movement of values: tiles move, and the layouts inside them.
#include <algorithm>
#include <numeric>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/grid.h"
#include "static_check/algebra/layout.h"

namespace assay {

Value permute(const Value& value, std::span<const Int> dims) {
  Value result;
  for (Int d : dims) {
    result.shape.push_back(value.shape[static_cast<size_t>(d)]);
    result.cuts.push_back(value.cuts[static_cast<size_t>(d)]);
  }
  const auto add = [&](const Tile& tile) {
    const bool moved = map_layouts(result.tiles.emplace_back(tile), [&](Layout& layout) {
      layout = permute(layout, dims);
      return true;
    });
    ASSAY_CHECK(moved, "every layout permutes");
  };
  result.tiles.reserve(value.tiles.size());
  if (value.tiles.size() == 1) {
    add(value.tiles[0]);
    return result;
  }
  Shape cells;
  for (const auto& cuts : result.cuts) cells.push_back(static_cast<Int>(cuts.size()) - 1);
  for_each_cell(cells, [&](const Shape& cell) {
    std::vector<size_t> source(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      source[static_cast<size_t>(dims[i])] = static_cast<size_t>(cell[i]);
    add(value.tiles[tile_index(value, source)]);
  });
  return result;
}

namespace {

// The part of one tile, where its layouts need no cuts for it.
bool slices_whole(const Tile& tile, size_t dim, Int start, Int count) {
  const auto whole = [&](const Layout& layout) {
    return slice_cuts(layout.dims[dim], start, count).empty();
  };
  return std::all_of(tile.terms.begin(), tile.terms.end(),
                     [&](const Term& term) {
                       return whole(term.layout) &&
                              std::all_of(term.restrictions.begin(), term.restrictions.end(),
                                          [&](const Restriction& r) {
                                            return r.kind != Restriction::Kind::kGuard ||
                                                   whole(r.where);
                                          });
                     }) &&
         std::all_of(tile.integer.begin(), tile.integer.end(),
                     [&](const PiecewiseAffine& integer) { return whole(integer.layout); });
}

// Elements start, start + step, ... of a dimension without cuts; nullopt where a layout does not
// express them.
std::optional<Value> every_step(const Value& value, Int dim, Int step, Int count) {
  const auto d = static_cast<size_t>(dim);
  if (value.cuts[d].size() != 2) return std::nullopt;
  Value result = value;
  result.shape[d] = count;
  result.cuts[d] = {0, count};
  for (Tile& tile : result.tiles) {
    const bool mapped = map_layouts(tile, [&](Layout& layout) {
      auto strided = stride_by(layout, dim, step, count);
      if (strided) layout = std::move(*strided);
      return strided.has_value();
    });
    if (!mapped) return std::nullopt;
  }
  return result;
}

// Consecutive elements. The value has cuts at their start and end.
Value between_cuts(const Value& fine, Int dim, Int start, Int count) {
  const auto d = static_cast<size_t>(dim);
  Value result;
  result.shape = fine.shape;
  result.shape[d] = count;
  result.cuts = fine.cuts;
  erase_if(result.cuts[d], [&](Int x) { return x < start || x > start + count; });
  for (Int& x : result.cuts[d]) x -= start;
  const size_t tiles = tile_count(result);
  result.tiles.reserve(tiles);
  std::vector<size_t> cells(fine.shape.size());
  for (size_t t = 0; t < tiles; ++t) {
    const TileBox box = tile_box(result, t);
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] = cell_of(fine.cuts[i], box.start[i] + (i == d ? start : 0));
    result.tiles.push_back(fine.tiles[tile_index(fine, cells)]);
  }
  return result;
}

// Every step-th element, where the tiles' layouts allow it; else element by element.
Value slice_by_steps(const Value& value, Int dim, Int start, Int count, Int step) {
  const auto d = static_cast<size_t>(dim);
  Grid wanted(value.shape.size());
  const Int end = start + (count - 1) * step + 1;
  wanted[d] = {start, end};
  for (Int i = 0; i < count && value.tiles.size() > 1; ++i)
    wanted[d].insert(wanted[d].end(), {start + i * step, start + i * step + 1});
  erase_if(wanted[d], [&](Int x) { return x <= 0 || x >= value.shape[d]; });
  const Value middle = slice(cut(value, wanted), dim, start, end - start);
  if (auto result = every_step(middle, dim, step, count)) return std::move(*result);
  std::vector<Value> pieces;
  for (Int i = 0; i < count; ++i) pieces.push_back(slice(middle, dim, i * step, 1));
  Value result = concat(pieces, dim);
  merge_tiles(result);
  return result;
}

}  // namespace

Value slice(const Value& value, Int dim, Int start, Int count, Int step) {
  const auto d = static_cast<size_t>(dim);
  if (count == 0 || element_count(value.shape) == 0) {
    Shape shape = value.shape;
    shape[d] = count;
    return single_tile(std::move(shape), {});
  }
  if (step > 1) return slice_by_steps(value, dim, start, count, step);
  if (start == 0 && count == value.shape[d]) return value;
  if (value.tiles.size() == 1 && slices_whole(value.tiles[0], d, start, count)) {
    Value result = value;
    result.shape[d] = count;
    result.cuts[d] = {0, count};
    const bool sliced = map_layouts(result.tiles[0], [&](Layout& layout) {
      slice(layout, dim, start, count);
      return true;
    });
    ASSAY_CHECK(sliced, "a tile is cut where its layouts allow");
    return result;
  }
  Grid wanted(value.shape.size());
  wanted[d] = {start, start + count};
  erase_if(wanted[d], [&](Int x) { return x <= 0 || x >= value.shape[d]; });
  return between_cuts(cut(value, wanted), dim, start, count);
}

Value concat(std::span<const Value> values, Int dim) {
  const auto d = static_cast<size_t>(dim);
  std::vector<Value> fine;
  std::copy_if(values.begin(), values.end(), std::back_inserter(fine),
               [](const Value& value) { return element_count(value.shape) > 0; });
  if (fine.empty()) {
    Shape shape = values[0].shape;
    shape[d] = 0;
    for (const Value& value : values) shape[d] += value.shape[d];
    return single_tile(std::move(shape), {});
  }
  Grid wanted(values[0].shape.size());
  for (const Value& value : fine) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i != d) wanted[i].insert(wanted[i].end(), value.cuts[i].begin(), value.cuts[i].end());
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& list : wanted) sort_unique(list);
    for (Value& value : fine) {
      value = cut(std::move(value), wanted);
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

Value expand(Value value, const Shape& shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (value.shape[d] == shape[d]) continue;
    value.shape[d] = shape[d];
    value.cuts[d] = {0, shape[d]};
    for (Tile& tile : value.tiles) {
      const bool expanded = map_layouts(tile, [&](Layout& layout) {
        expand(layout, static_cast<Int>(d), shape[d]);
        return true;
      });
      ASSAY_CHECK(expanded, "every layout expands");
    }
  }
  return value;
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
    Int a = 1, b = 1;
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
  const auto reshape_tile = [](Tile& tile, const Shape& to) {
    return map_layouts(tile, [&](Layout& layout) {
      auto regrouped = reshape(layout, to);
      if (regrouped) layout = std::move(*regrouped);
      return regrouped.has_value();
    });
  };
  if (value.tiles.size() == 1) {
    Tile tile = value.tiles[0];
    if (!reshape_tile(tile, shape)) return std::nullopt;
    return single_tile(shape, std::move(tile));
  }
  Value result;
  result.shape = shape;
  // Cuts survive where they lie in the outermost varying dimension of a group, on both sides.
  result.cuts.resize(shape.size());
  for (const DimGroup& group : group_dims(value.shape, shape)) {
    size_t in_outer = group.in_begin;
    while (in_outer < group.in_end && value.shape[in_outer] == 1) ++in_outer;
    size_t out_outer = group.out_begin;
    while (out_outer < group.out_end && shape[out_outer] == 1) ++out_outer;
    for (size_t o = group.out_begin; o < group.out_end; ++o) result.cuts[o] = {0, shape[o]};
    Int in_inner = 1, out_inner = 1;
    for (size_t i = in_outer + 1; i < group.in_end; ++i) {
      if (value.cuts[i].size() > 2) return std::nullopt;
      in_inner *= value.shape[i];
    }
    for (size_t o = out_outer + 1; o < group.out_end; ++o) out_inner *= shape[o];
    if (in_outer == group.in_end || value.cuts[in_outer].size() == 2) continue;
    if (out_outer == group.out_end) return std::nullopt;
    result.cuts[out_outer].clear();
    for (Int position : value.cuts[in_outer]) {
      if (position * in_inner % out_inner != 0) return std::nullopt;
      result.cuts[out_outer].push_back(position * in_inner / out_inner);
    }
  }
  const size_t count = tile_count(result);
  if (count != value.tiles.size()) return std::nullopt;
  for (size_t t = 0; t < count; ++t) {
    const Shape size = tile_size(result, t);
    if (!reshape_tile(result.tiles.emplace_back(value.tiles[t]), size)) return std::nullopt;
  }
  return result;
}

namespace {

// Cuts around every element.
Grid all_positions(const Shape& shape) {
  Grid result(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    result[d].resize(static_cast<size_t>(shape[d]) + 1);
    std::iota(result[d].begin(), result[d].end(), 0);
  }
  return result;
}

}  // namespace

Value reshape_by_elements(const Value& value, const Shape& shape) {
  Value result = cut(value, all_positions(value.shape));
  result.shape = shape;
  result.cuts = all_positions(shape);
  const Shape one(shape.size(), 1);
  for (Tile& tile : result.tiles) {
    const bool mapped = map_layouts(tile, [&](Layout& layout) {
      auto regrouped = reshape(layout, one);
      if (regrouped) layout = std::move(*regrouped);
      return regrouped.has_value();
    });
    ASSAY_CHECK(mapped, "one element has every shape");
  }
  merge_tiles(result);
  return result;
}

}  // namespace assay
