#pragma once

#include "shared_ir/reference/tensor.h"
#include "static_check/checker/identity/cuts/cuts.h"

namespace assay::checker::identity {

// The part of the tensor that lies there.
template <class Number>
reference::TensorOf<Number> part_at(const reference::TensorOf<Number>& tensor,
                                    const Cuts::Place& place, const Shape& shape) {
  reference::TensorOf<Number> part{shape, {}};
  PlainInt behind = 1;
  for (size_t d = place.dim + 1; d < shape.size(); ++d) behind *= shape[d];
  const PlainInt whole = shape.empty() ? 1 : tensor.shape[place.dim],
                 own = shape.empty() ? 1 : shape[place.dim];
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    const PlainInt at = static_cast<PlainInt>(i) / behind % whole - place.offset;
    if (at >= 0 && at < own) part.values.push_back(tensor.values[i]);
  }
  return part;
}

}  // namespace assay::checker::identity
