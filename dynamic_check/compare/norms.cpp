#include "dynamic_check/compare/norms.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr int64_t kLanes = 8;

template <typename A, typename B>
double sum_of_squares(const A& a, const B& b, int64_t begin, int64_t end) {
  double lanes[kLanes] = {};
  const auto square = [&](int64_t i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    return std::abs(difference) <= std::numeric_limits<double>::max() ? difference * difference : 0;
  };
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += square(i + lane);
  double sum = 0;
  for (; i < end; ++i) sum += square(i);
  for (const double lane : lanes) sum += lane;
  return sum;
}

// Quicker than to look for mismatches, and true nearly always. A sum of products with 0 is 0 unless
// one factor is not finite.
template <typename A, typename B>
bool all_finite(const A& a, const B& b, int64_t begin, int64_t end) {
  double lanes[kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += 0 * static_cast<double>(a[i + lane]) + 0 * static_cast<double>(b[i + lane]);
  double sum = 0;
  for (; i < end; ++i) sum += 0 * static_cast<double>(a[i]) + 0 * static_cast<double>(b[i]);
  for (const double lane : lanes) sum += lane;
  return sum == 0;
}

template <typename A, typename B>
int64_t count_mismatches(const A& a, const B& b, int64_t begin, int64_t end) {
  int64_t count = 0;
  for (int64_t i = begin; i < end; ++i)
    count += special_mismatch(static_cast<double>(a[i]), static_cast<double>(b[i]));
  return count;
}

template <typename A, typename B>
std::vector<double> block_squares(const A& a, const B& b, int64_t elements) {
  const int64_t block = block_size(elements);
  std::vector<double> squares(static_cast<size_t>(block_count(elements)), 0.0);
  constexpr int64_t kElementsAtATime = 1 << 15;
  at::parallel_for(0, block_count(elements), std::max<int64_t>(1, kElementsAtATime / block),
                   [&](int64_t first, int64_t last) {
                     for (int64_t i = first; i < last; ++i)
                       squares[static_cast<size_t>(i)] =
                           sum_of_squares(a, b, i * block, std::min((i + 1) * block, elements));
                   });
  return squares;
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
  return from_squares(squares);
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
    return visit_elements(
        b, [&](const auto* y) { return from_squares(block_squares(x, y, a.numel())); });
  });
}

Norms norms_of(const at::Tensor& tensor) {
  check(tensor, tensor);
  if (tensor.is_cuda()) return norms_on_gpu(tensor, at::zeros_like(tensor));
  return visit_elements(tensor, [&](const auto* x) {
    return from_squares(block_squares(x, Zeros(), tensor.numel()));
  });
}

int64_t special_mismatches(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  return visit_elements(a.cpu(), [&](const auto* x) {
    return visit_elements(b.cpu(), [&](const auto* y) {
      constexpr int64_t kAtATime = 1 << 12;
      int64_t count = 0;
      for (int64_t begin = 0; begin < a.numel(); begin += kAtATime) {
        const int64_t end = std::min(begin + kAtATime, a.numel());
        if (!all_finite(x, y, begin, end)) count += count_mismatches(x, y, begin, end);
      }
      return count;
    });
  });
}

}  // namespace assay
