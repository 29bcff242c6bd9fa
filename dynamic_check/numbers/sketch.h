// A small summary of a large tensor, from which distances between tensors are estimated: the tensor
// itself need not be kept.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "dynamic_check/numbers/norms.h"

namespace assay {

// Per block of a tensor (norms.h) kSketchBuckets sums of its elements, each element with a sign in
// one bucket, both drawn at random, alike for all tensors of a size (count sketch: Charikar, Chen
// and Farach-Colton, "Finding frequent items in data streams", ICALP 2002; for norms: Thorup and
// Zhang, "Tabulation based 4-universal hashing with applications to second moment estimation",
// SODA 2004). A sketch is linear, so the norm of a difference is that of the sketches' difference:
// right in the mean of its square, whose variance is at most 2 / kSketchBuckets of the square's
// square. Two elements of a block that differ equally and alone cancel once in 2 * kSketchBuckets
// blocks.
inline constexpr int64_t kSketchBuckets = 128;

// A tensor with no more elements than its sketch has numbers needs none.
inline constexpr int64_t kLargestUnsketched = kMaxBlocks * kSketchBuckets;

class Sketch {
 public:
  // Of a floating tensor on the CPU, in float64.
  explicit Sketch(const at::Tensor& tensor);

  bool finite() const { return finite_; }  // all elements are

  // Estimated norms of the difference of two tensors of one shape; `finite` where both are. Norms
  // of blocks in which something is not finite are 0.
  Norms distance_to(const Sketch& other) const;

 private:
  at::Tensor sums_;  // [blocks, kSketchBuckets]
  bool finite_ = true;
};

}  // namespace assay
