// Whether elements of a clean expression are made of the same element of a rank's tensor twice, or
// of none. Needs no LibTorch.
#pragma once

#include <vector>

#include "dynamic_check/relate/evaluate_buffers.h"

namespace assay {

// Which elements of the leaves each element of an expression is made of.
class TakenElements {
 public:
  // The leaves are all there, and their shapes fit.
  TakenElements(const CleanExpr& expr, const LeafBuffers& leaves);

  // Whether some element takes the same leaf element twice.
  bool overlaps() const;
  // Whether some element takes none.
  bool has_gaps() const;

 private:
  // A layer has, for every element of the value, the number of one leaf element that it takes, or 0
  // for none. What adds has several.
  using Layers = std::vector<StridedBuffer>;
  static Layers layers(const CleanExpr& expr, const LeafBuffers& numbers);

  Layers layers_;  // without gaps in memory
};

}  // namespace assay
