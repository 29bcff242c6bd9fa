// Dimensions of padded tensors.
#pragma once

#include <algorithm>
#include <vector>

#include "shared_ir/graph.h"

namespace assay::unbacked {

struct Extent {
  int64_t bound = 0;      // elements of the padded dimension
  TensorId mask = kNone;  // bool [bound]: the elements that are there; kNone: all
  bool packed = true;     // those that are there come first

  bool is_known() const { return mask == kNone; }
  bool operator==(const Extent&) const = default;
};

struct Padded {
  TensorId id = kNone;  // of the padded graph
  std::vector<Extent> dims;

  bool is_ragged() const {
    return std::ranges::any_of(dims, [](const Extent& dim) { return !dim.is_known(); });
  }
  size_t rank() const { return dims.size(); }
};

inline std::vector<Extent> known_extents(const Shape& shape) {
  std::vector<Extent> dims;
  for (const int64_t size : shape) dims.push_back({size});
  return dims;
}

inline Shape bounds_of(const std::vector<Extent>& dims) {
  Shape shape;
  for (const Extent& dim : dims) shape.push_back(dim.bound);
  return shape;
}

}  // namespace assay::unbacked
