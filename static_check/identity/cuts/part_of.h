#pragma once

#include "shared_ir/reference/tensor.h"
#include "static_check/identity/cuts/cuts.h"

namespace assay::identity {

// That part of a tensor, which has this shape.
template <class Number>
reference::TensorOf<Number> part_of(const reference::TensorOf<Number>& whole,
                                    const Cuts::Part& part, const Shape& shape) {
  if (whole.shape == shape) return whole;
  reference::TensorOf<Number> result{shape, {}};
  size_t inner = 1;
  for (size_t d = part.dim + 1; d < shape.size(); ++d) inner *= static_cast<size_t>(shape[d]);
  const size_t run = static_cast<size_t>(shape[part.dim]) * inner,
               stride = static_cast<size_t>(whole.shape[part.dim]) * inner,
               start = static_cast<size_t>(part.start) * inner;
  for (size_t at = start; at < whole.values.size(); at += stride)
    result.values.insert(result.values.end(), whole.values.begin() + static_cast<ptrdiff_t>(at),
                         whole.values.begin() + static_cast<ptrdiff_t>(at + run));
  return result;
}

}  // namespace assay::identity
