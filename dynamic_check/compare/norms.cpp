#include "dynamic_check/compare/norms.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "dynamic_check/compare/elements.h"
#include "dynamic_check/compare/norms_cuda.h"
#include "shared_ir/error.h"

namespace assay {
namespace {

bool special_mismatch(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return false;
  return !(a == b || (std::isnan(a) && std::isnan(b)));
}

// Nothing, as an operand of a difference.
struct Zeros {
  double operator[](int64_t) const { return 0; }
};

// Sums go to several places in turn, so that no addition waits for the one before it.
constexpr int64_t kLanes = 16;

// What a run of elements adds up to.
struct Squares {
  double sum = 0;  // of squared differences, those that are not finite left out
  bool finite = true;
};

template <typename A, typename B>
double finite_squares(const A& a, const B& b, int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    if (std::isfinite(difference)) sum += difference * difference;
  }
  return sum;
}

template <typename A, typename B>
Squares sum_of_squares(const A& a, const B& b, int64_t begin, int64_t end) {
  double lanes[kLanes] = {};
  // A product with 0 is 0 unless the factor is not finite.
  double zeros[kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    double differences[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane)
      differences[lane] = static_cast<double>(a[i + lane]) - static_cast<double>(b[i + lane]);
    for (int64_t lane = 0; lane < kLanes; ++lane) zeros[lane] += differences[lane] * 0;
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += differences[lane] * differences[lane];
  }
  Squares result;
  double zero = 0;
  for (; i < end; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    zero += difference * 0;
    result.sum += difference * difference;
  }
  for (const double lane : lanes) result.sum += lane;
  for (const double lane : zeros) zero += lane;
  if (zero != 0) result = {finite_squares(a, b, begin, end), false};
  return result;
}

Norms from_squares(const std::vector<Squares>& squares) {
  Norms norms;
  double sum = 0;
  for (const Squares& square : squares) {
    norms.blocks.push_back(std::sqrt(square.sum));
    sum += square.sum;
    norms.finite = norms.finite && square.finite;
  }
  norms.whole = std::sqrt(sum);
  return norms;
}

template <typename A, typename B>
Norms block_norms(const A& a, const B& b, int64_t elements) {
  const int64_t block = block_size(elements);
  std::vector<Squares> squares(static_cast<size_t>(block_count(elements)));
  constexpr int64_t kElementsAtATime = 1 << 15;
  at::parallel_for(0, block_count(elements), std::max<int64_t>(1, kElementsAtATime / block),
                   [&](int64_t first, int64_t last) {
                     for (int64_t i = first; i < last; ++i)
                       squares[static_cast<size_t>(i)] =
                           sum_of_squares(a, b, i * block, std::min((i + 1) * block, elements));
                   });
  return from_squares(squares);
}

void check(const at::Tensor& a, const at::Tensor& b) {
  ASSAY_CHECK(a.is_floating_point() && b.is_floating_point(), "norms are of floating tensors");
  ASSAY_CHECK(a.sizes() == b.sizes() && a.device() == b.device(),
              "only tensors of one shape and device are compared");
}

Norms norms_on_gpu(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.to(at::kDouble).contiguous();
  const at::Tensor y = b.to(at::kDouble).contiguous();
  std::vector<double> squares(static_cast<size_t>(block_count(x.numel())), 0.0);
  cuda_block_squares(x.const_data_ptr<double>(), y.const_data_ptr<double>(), x.numel(),
                     block_size(x.numel()), squares);
  std::vector<Squares> unknown;
  for (const double sum : squares) unknown.push_back({sum, false});
  return from_squares(unknown);
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
  if (a.is_cuda()) return norms_on_gpu(a, b);
  return visit_elements(a, [&](const auto* x) {
    return visit_elements(b, [&](const auto* y) { return block_norms(x, y, a.numel()); });
  });
}

Norms norms_of(const at::Tensor& tensor) {
  check(tensor, tensor);
  if (tensor.is_cuda()) return norms_on_gpu(tensor, at::zeros_like(tensor));
  return visit_elements(tensor,
                        [&](const auto* x) { return block_norms(x, Zeros(), tensor.numel()); });
}

int64_t special_mismatches(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  return visit_elements(a.cpu(), [&](const auto* x) {
    return visit_elements(b.cpu(), [&](const auto* y) {
      int64_t count = 0;
      for (int64_t i = 0; i < a.numel(); ++i)
        count += special_mismatch(static_cast<double>(x[i]), static_cast<double>(y[i]));
      return count;
    });
  });
}

}  // namespace assay
