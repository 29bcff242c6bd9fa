// Coordinates of row-major tensors.
#pragma once

#include <vector>

#include "shared_ir/graph.h"

namespace assay::reference {

inline int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

// Elements to step for one step of each dimension.
inline std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Calls visit(coordinates) for every element in row-major order.
template <typename Visit>
void for_each_coordinate(const Shape& shape, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t left = count_of(shape); left > 0; --left) {
    visit(static_cast<const std::vector<int64_t>&>(at));
    for (size_t i = shape.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
}

inline int64_t address(const std::vector<int64_t>& at, const std::vector<int64_t>& strides) {
  int64_t result = 0;
  for (size_t i = 0; i < at.size(); ++i) result += at[i] * strides[i];
  return result;
}

}  // namespace assay::reference
