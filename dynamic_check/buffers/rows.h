// Walks the elements of two tensors of one shape side by side. Needs no LibTorch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// A run of elements along one dimension: positions and steps in elements.
struct Row {
  int64_t from = 0, to = 0;
  int64_t from_step = 1, to_step = 1;
  int64_t count = 1;
};

// Calls visit(Row) until each element was seen once. Rows are as long as the strides allow, and
// along the dimension in which `to` is densest.
template <typename Visit>
void for_each_row(const Shape& shape, const std::vector<int64_t>& from,
                  const std::vector<int64_t>& to, const Visit& visit) {
  struct Dimension {
    int64_t size, from, to;
  };
  std::vector<Dimension> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return;
    if (shape[i] > 1) dims.push_back({shape[i], from[i], to[i]});
  }
  std::ranges::stable_sort(dims,
                           [](const Dimension& a, const Dimension& b) { return a.to > b.to; });
  // Outermost first; two that continue each other in both become one.
  std::vector<Dimension> joined;
  for (const Dimension& dim : dims) {
    if (!joined.empty() && joined.back().from == dim.from * dim.size &&
        joined.back().to == dim.to * dim.size) {
      joined.back() = {joined.back().size * dim.size, dim.from, dim.to};
    } else {
      joined.push_back(dim);
    }
  }
  Row row;
  if (!joined.empty()) {
    row.count = joined.back().size;
    row.from_step = joined.back().from;
    row.to_step = joined.back().to;
    joined.pop_back();
  }
  std::vector<int64_t> index(joined.size(), 0);
  while (true) {
    visit(row);
    size_t dim = joined.size();
    while (dim > 0) {
      --dim;
      row.from += joined[dim].from;
      row.to += joined[dim].to;
      if (++index[dim] < joined[dim].size) break;
      row.from -= joined[dim].from * joined[dim].size;
      row.to -= joined[dim].to * joined[dim].size;
      index[dim] = 0;
      if (dim == 0) return;
    }
    if (joined.empty()) return;
  }
}

}  // namespace assay
