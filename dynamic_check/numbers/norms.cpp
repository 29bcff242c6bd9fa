#include "dynamic_check/numbers/norms.h"

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "dynamic_check/buffers/buffers.h"
#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/numbers/visit_elements.h"
#include "shared_ir/base/error.h"
#include "shared_ir/capture/torch/scalar_type.h"

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
Squares finite_squares(const A& a, const B& b, int64_t begin, int64_t end) {
  Squares result;
  for (int64_t i = begin; i < end; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    if (std::isfinite(difference))
      result.sum += difference * difference;
    else
      result.finite = false;
  }
  return result;
}

template <typename A, typename B>
ASSAY_VECTOR_CLONES Squares sum_of_squares(const A& a, const B& b, int64_t begin, int64_t end) {
  double lanes[kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const double difference = static_cast<double>(a[i + lane]) - static_cast<double>(b[i + lane]);
      lanes[lane] += difference * difference;
    }
  }
  double sum = 0;
  for (; i < end; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  for (const double lane : lanes) sum += lane;
  // What is not finite stays so in a sum.
  return std::isfinite(sum) ? Squares{sum, true} : finite_squares(a, b, begin, end);
}

// Of elements of a type of its own: a product with 0 is 0 unless the factor is not finite.
template <typename T>
ASSAY_VECTOR_CLONES bool all_finite(const T* elements, int64_t count) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  Wide lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<Wide>(elements[i + lane]) * Wide(0);
  Wide sum = 0;
  for (; i < count; ++i) sum += static_cast<Wide>(elements[i]) * Wide(0);
  for (const Wide lane : lanes) sum += lane;
  return sum == 0;
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

std::vector<cuda::BlockSums> sums_on_gpu(const at::Tensor& a, const at::Tensor& b) {
  const c10::DeviceGuard guard(a.device());
  const auto operand = [](const at::Tensor& tensor) {
    return tensor.defined() ? cuda::Operand{tensor.const_data_ptr(), to_dtype(tensor.scalar_type())}
                            : cuda::Operand{};
  };
  at::Tensor x = a.contiguous(), y = b.defined() ? b.contiguous() : at::Tensor();
  if (y.defined() && !cuda::has_block_sums(operand(x).dtype, operand(y).dtype)) {
    y = y.to(at::kDouble);
    if (!cuda::has_block_sums(operand(x).dtype, operand(y).dtype)) x = x.to(at::kDouble);
  }
  return cuda::block_sums(operand(x), operand(y), x.numel(), block_size(x.numel()));
}

Norms norms_on_gpu(const at::Tensor& a, const at::Tensor& b) {
  std::vector<Squares> squares;
  for (const cuda::BlockSums& block : sums_on_gpu(a, b))
    squares.push_back({block.squares, block.not_finite == 0});
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
    return visit_elements(b, [&](const auto* y) { return block_norms(x, y, a.numel()); });
  });
}

Norms norms_of(const at::Tensor& tensor) {
  check(tensor, tensor);
  if (tensor.is_cuda()) return norms_on_gpu(tensor, {});
  return visit_elements(tensor,
                        [&](const auto* x) { return block_norms(x, Zeros(), tensor.numel()); });
}

bool all_finite(const at::Tensor& tensor) {
  check(tensor, tensor);
  if (tensor.is_cuda()) return norms_on_gpu(tensor, {}).finite;
  return visit_elements(tensor, [&](const auto* x) { return all_finite(x, tensor.numel()); });
}

int64_t special_mismatches(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  if (a.is_cuda()) {
    int64_t count = 0;
    for (const cuda::BlockSums& block : sums_on_gpu(a, b)) count += block.mismatches;
    return count;
  }
  return visit_elements(a, [&](const auto* x) {
    return visit_elements(b, [&](const auto* y) {
      int64_t count = 0;
      for (int64_t i = 0; i < a.numel(); ++i)
        count += special_mismatch(static_cast<double>(x[i]), static_cast<double>(y[i]));
      return count;
    });
  });
}

}  // namespace assay
