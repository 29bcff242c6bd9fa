// A tensor of whatever stands for numbers: doubles, or what a proof computes with.
#pragma once

#include <vector>

#include "shared_ir/graph.h"

namespace assay::reference {

// Row-major.
template <class Number>
struct TensorOf {
  Shape shape;
  std::vector<Number> values;
  bool operator==(const TensorOf&) const = default;
};

}  // namespace assay::reference
