// The elements of values, one by one.
#pragma once

#include <vector>

#include "shared_ir/reference/index.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/value.h"

namespace assay {

// Where the element of a tile at these coordinates lies in the layout's atom.
inline Int address_at(const Layout& layout, const std::vector<Int>& at) {
  Int result = layout.offset;
  for (size_t d = 0; d < at.size(); ++d) result += address(layout.dims[d], at[d]);
  return result;
}

// Calls visit(tile, coordinates in the tile, row-major place in the value) for every element.
template <class Visit>
void for_each_element(const Value& value, Visit visit) {
  const std::vector<Int> strides = reference::strides_of(value.shape);
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    const TileBox box = tile_box(value, t);
    reference::for_each_coordinate(box.size, [&](const std::vector<Int>& at) {
      Int place = 0;
      for (size_t d = 0; d < at.size(); ++d) place += (box.start[d] + at[d]) * strides[d];
      visit(value.tiles[t], at, static_cast<size_t>(place));
    });
  }
}

}  // namespace assay
