// Positions on a value's tile grid.
#pragma once

#include <cstdint>
#include <vector>

#include "static_check/algebra/value.h"

namespace assay {

void sort_unique(std::vector<int64_t>& values);

// The cell of a dimension that holds the position; cuts are sorted and start at 0.
size_t cell_of(const std::vector<int64_t>& cuts, int64_t position);

// Index in Value::tiles of the tile at these cells, one a dimension.
size_t tile_index(const Value& value, const std::vector<size_t>& cells);

}  // namespace assay
