// The product of a matrix with a few vectors, in one pass over the matrix as it lies in memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace assay {

inline constexpr int64_t kThin = 16;  // vectors

struct ThinProduct {
  std::vector<double> products;  // row by row, kThin each: sum_j A_ij V_j
  std::vector<double> squares;   // per row: sum_j A_ij^2 w_j
};

// In float64. `matrix`: floating, two-dimensional, on the CPU, [M, N], of any strides; numbers
// beyond float32's are taken as float32. `vectors`: N times kThin, row by row. `weights`: N; empty:
// all 1.
ThinProduct thin_product(const at::Tensor& matrix, const std::vector<double>& vectors,
                         const std::vector<double>& weights = {});

}  // namespace assay
