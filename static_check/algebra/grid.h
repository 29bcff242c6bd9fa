// Positions on a value's tile grid.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/value.h"

namespace assay {

template <typename Values>
void sort_unique(Values& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The cell of a dimension that holds the position; cuts are sorted and start at 0.
size_t cell_of(std::span<const Int> cuts, Int position);

// Index in Value::tiles of the tile at these cells, one a dimension.
size_t tile_index(const Value& value, const std::vector<size_t>& cells);

}  // namespace assay
