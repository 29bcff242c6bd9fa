// Coordinates of row-major tensors.
#pragma once

#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

inline Int count_of(const Shape& shape) {
  Int count = 1;
  for (Int size : shape) count *= size;
  return count;
}

// Elements to step for one step of each dimension.
inline std::vector<Int> strides_of(const Shape& shape) {
  std::vector<Int> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Calls visit(coordinates) for every element in row-major order.
template <typename Visit>
void for_each_coordinate(const Shape& shape, Visit visit) {
  std::vector<Int> at(shape.size(), 0);
  for (Int left = count_of(shape); left > 0; --left) {
    visit(static_cast<const std::vector<Int>&>(at));
    for (size_t i = shape.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
}

inline Int address(const std::vector<Int>& at, const std::vector<Int>& strides) {
  Int result = 0;
  for (size_t i = 0; i < at.size(); ++i) result += at[i] * strides[i];
  return result;
}

}  // namespace assay::reference
