// Which elements of ranks' tensors each element of a clean expression is made of. Needs no
// LibTorch.
#pragma once

#include <vector>

#include "dynamic_check/relate/evaluate_buffers.h"

namespace assay {

class Provenance {
 public:
  // The leaves are all there, and their shapes fit.
  Provenance(const CleanExpr& expr, const LeafBuffers& leaves);

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
