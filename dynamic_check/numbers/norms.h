// Frobenius norms of differences, over blocks of a tensor and over all of it, on the CPU or one
// GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace assay {

// Blocks per tensor at most. A block is a run of neighbouring elements in row-major order.
inline constexpr int64_t kMaxBlocks = 64;

// Elements of each block but the last, which may have fewer; at least 1.
int64_t block_size(int64_t elements);

// Blocks of a tensor: at most kMaxBlocks; none of one without elements.
int64_t block_count(int64_t elements);

struct Norms {
  std::vector<double> blocks;  // of each block
  double whole = 0;            // of the tensor
  bool finite = true;          // no element was left out
};

// Norms of a - b, computed in float64 (on a GPU, differences of float8 in float32: exact for e4m3,
// rounded once for e5m2). Both floating, of one shape and device. Elements where
// either is not finite count as 0. The order of additions does not depend on the machine's load:
// equal inputs give equal bits.
Norms difference_norms(const at::Tensor& a, const at::Tensor& b);

// Norms of a tensor, in the same way.
Norms norms_of(const at::Tensor& tensor);

// No element of a floating tensor is NaN or infinite.
bool all_finite(const at::Tensor& tensor);

// Number of elements at which exactly one is NaN, or one is infinite and the other is not the same
// infinity. Both floating, of one shape and device.
int64_t special_mismatches(const at::Tensor& a, const at::Tensor& b);

}  // namespace assay
