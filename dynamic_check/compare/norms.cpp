#include "dynamic_check/compare/norms.h"

#include <algorithm>
#include <cmath>

#include "dynamic_check/compare/norms_cuda.h"
#include "shared_ir/error.h"

namespace assay {
namespace {

double squared_difference(double a, double b) {
  const double difference = a - b;
  return std::isfinite(difference) ? difference * difference : 0;
}

bool special_mismatch(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return false;
  return !(a == b || (std::isnan(a) && std::isnan(b)));
}

Norms from_squares(const std::vector<double>& squares) {
  Norms norms;
  double sum = 0;
  for (double square : squares) {
    norms.blocks.push_back(std::sqrt(square));
    sum += square;
  }
  norms.whole = std::sqrt(sum);
  return norms;
}

void check(const at::Tensor& a, const at::Tensor& b) {
  ASSAY_CHECK(a.scalar_type() == at::kDouble && b.scalar_type() == at::kDouble,
              "norms are taken in float64");
  ASSAY_CHECK(a.sizes() == b.sizes() && a.device() == b.device(),
              "only tensors of one shape and device are compared");
}

}  // namespace

int64_t block_size(int64_t elements) {
  return std::max<int64_t>(1, (elements + kMaxBlocks - 1) / kMaxBlocks);
}

int64_t block_count(int64_t elements) {
  const int64_t block = block_size(elements);
  return (elements + block - 1) / block;
}

Norms difference_norms(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  const at::Tensor x = a.contiguous();
  const at::Tensor y = b.contiguous();
  const int64_t elements = x.numel();
  const int64_t block = block_size(elements);
  std::vector<double> squares(static_cast<size_t>(block_count(elements)), 0.0);
  const double* left = x.const_data_ptr<double>();
  const double* right = y.const_data_ptr<double>();
  if (x.is_cuda()) {
    cuda_block_squares(left, right, elements, block, squares);
    return from_squares(squares);
  }
  for (int64_t i = 0; i < elements; ++i)
    squares[static_cast<size_t>(i / block)] += squared_difference(left[i], right[i]);
  return from_squares(squares);
}

int64_t special_mismatches(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  const at::Tensor x = a.contiguous().cpu();
  const at::Tensor y = b.contiguous().cpu();
  const double* left = x.const_data_ptr<double>();
  const double* right = y.const_data_ptr<double>();
  int64_t count = 0;
  for (int64_t i = 0; i < x.numel(); ++i) count += special_mismatch(left[i], right[i]);
  return count;
}

}  // namespace assay
