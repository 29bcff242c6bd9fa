// Dimensions that a sum or an extremum reduces: as labels of a request, and tile by tile.
#pragma once

#include <span>
#include <vector>

#include "static_check/algebra/layout.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

// Adds the labels of a view whose `dims` are reduced; returns how often each element repeats along
// reduced broadcast digits.
Int add_reduction_labels(Request& request, const Layout& layout, const Shape& size,
                         std::span<const Int> dims);

// Whether any label of the request is reduced.
bool reduces(const Request& request);

// The value of the grid that is left when `dims` of a value are reduced: calls visit(output tile,
// tile, tile size) for each tile of the operand.
template <typename Visit>
Value for_each_reduced_tile(const Value& value, std::span<const Int> dims, const Visit& visit) {
  Value result;
  result.shape = drop_dims(value.shape, dims);
  for (size_t d = 0; d < value.cuts.size(); ++d) {
    if (!contains(dims, d)) result.cuts.push_back(value.cuts[d]);
  }
  result.tiles.resize(tile_count(result));
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    size_t rest = t, index = 0, weight = 1;
    for (size_t d = value.cuts.size(); d-- > 0;) {
      const size_t cells = value.cuts[d].size() - 1;
      if (!contains(dims, d)) {
        index += rest % cells * weight;
        weight *= cells;
      }
      rest /= cells;
    }
    visit(result.tiles[index], value.tiles[t], tile_size(value, t));
  }
  return result;
}

}  // namespace assay
