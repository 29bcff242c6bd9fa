#include "dynamic_check/numbers/rounding.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "dynamic_check/buffers/buffers.h"
#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/numbers/overwrite.h"
#include "dynamic_check/numbers/visit_elements.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {

double unit_roundoff(DType dtype) { return machine_epsilon(dtype) / 2; }

namespace {

// In which numbers an element's error is worked out. Those of float32 are enough for all that is
// rounded to it or to less: the error of an error.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

constexpr int64_t kAtOnce = 16 * RoundingNoise::kDrawn;

// out[i] = in[i] with its rounding noise, for kAtOnce elements. Loops of a known length over arrays
// become vector instructions.
template <typename T>
[[gnu::always_inline]] inline void add_noise(const T* in, T* out, uint64_t first_draw,
                                             double relative, const RoundingNoise& noise) {
  uint64_t bits[kAtOnce / RoundingNoise::kDrawn];
  for (int64_t draw = 0; draw < kAtOnce / RoundingNoise::kDrawn; ++draw)
    bits[draw] = noise.bits(first_draw + static_cast<uint64_t>(draw));
  int16_t steps[kAtOnce];
  std::memcpy(steps, bits, sizeof(steps));
  Wide<T> values[kAtOnce], errors[kAtOnce];
  for (int64_t i = 0; i < kAtOnce; ++i) values[i] = static_cast<Wide<T>>(in[i]);
  for (int64_t i = 0; i < kAtOnce; ++i)
    errors[i] = static_cast<Wide<T>>(relative) * RoundingNoise::error<Wide<T>>(steps[i]);
  // Infinity stays: the sum with its error could be NaN.
  for (int64_t i = 0; i < kAtOnce; ++i) {
    const Wide<T> moved = values[i] + values[i] * errors[i];
    out[i] = static_cast<T>(values[i] - values[i] == 0 ? moved : values[i]);
  }
}

// The same for pieces `begin` to `end` of the elements, kAtOnce each.
template <typename T>
ASSAY_VECTOR_CLONES void add_noise(const T* in, T* out, int64_t elements, int64_t begin,
                                   int64_t end, double relative, const RoundingNoise& noise) {
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t first = piece * kAtOnce, count = std::min(elements - first, kAtOnce);
    const auto draw = static_cast<uint64_t>(first / RoundingNoise::kDrawn);
    if (count == kAtOnce) {
      add_noise(in + first, out + first, draw, relative, noise);
      continue;
    }
    T last[kAtOnce] = {};
    std::copy_n(in + first, count, last);
    add_noise(last, last, draw, relative, noise);
    std::copy_n(last, count, out + first);
  }
}

// The same for all elements, on the CPU. `in` and `out` may be the same.
template <typename T>
void add_noise(const T* in, T* out, int64_t elements, double relative, const RoundingNoise& noise) {
  constexpr int64_t kAtATime = 1 << 15;
  const int64_t pieces = (elements + kAtOnce - 1) / kAtOnce;
  at::parallel_for(0, pieces, kAtATime / kAtOnce, [&](int64_t begin, int64_t end) {
    add_noise(in, out, elements, begin, end, relative, noise);
  });
}

// Writes to `result`, which is contiguous; false where its type has no kernels of its own.
bool write_perturbed(const at::Tensor& tensor, double relative, const RandomKey& key,
                     const at::Tensor& result) {
  const RoundingNoise noise(key);
  return visit_elements(tensor, [&]<typename T>(const T* in) {
    if (result.scalar_type() != c10::CppTypeToScalarType<T>::value) return false;
    add_noise(in, result.mutable_data_ptr<T>(), result.numel(), relative, noise);
    return true;
  });
}

// Both on one GPU and contiguous; false where the type has no kernel.
bool write_perturbed_on_gpu(const at::Tensor& tensor, double relative, const RandomKey& key,
                            const at::Tensor& result) {
  const DType dtype = to_dtype(tensor.scalar_type());
  if (!cuda::has_noise(dtype)) return false;
  const c10::DeviceGuard guard(tensor.device());
  cuda::add_noise(tensor.const_data_ptr(), result.mutable_data_ptr(), dtype, tensor.numel(),
                  relative, RoundingNoise(key).start());
  return true;
}

bool write_perturbed_where_it_is(const at::Tensor& tensor, double relative, const RandomKey& key,
                                 const at::Tensor& result) {
  if (tensor.is_cuda()) return write_perturbed_on_gpu(tensor, relative, key, result);
  return tensor.is_cpu() && write_perturbed(tensor, relative, key, result);
}

}  // namespace

at::Tensor perturbed(const at::Tensor& tensor, double relative, const RandomKey& key) {
  if (!tensor.is_floating_point()) return tensor;
  const at::Tensor result = at::empty(tensor.sizes(), tensor.options());
  // Types without kernels of their own, such as float8, go through float64.
  if (!write_perturbed_where_it_is(tensor.contiguous(), relative, key, result))
    return perturbed(tensor.to(at::kDouble), relative, key).to(tensor.scalar_type());
  return result;
}

void perturb(const at::Tensor& tensor, double relative, const RandomKey& key) {
  if (!tensor.is_floating_point()) return;
  if (tensor.is_non_overlapping_and_dense()) {
    const at::Tensor elements = tensor.detach().as_strided({tensor.numel()}, {1});
    if (write_perturbed_where_it_is(elements, relative, key, elements)) return;
  }
  overwrite(tensor, perturbed(tensor, relative, key));
}

}  // namespace assay
