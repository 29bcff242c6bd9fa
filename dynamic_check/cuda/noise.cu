#include "dynamic_check/cuda/check.h"
#include "dynamic_check/cuda/noise.h"
#include "dynamic_check/cuda/noise_kernel.h"

namespace assay::cuda {
namespace {

template <typename T>
__global__ void __launch_bounds__(kNoiseThreads)
    move_by_noise(const T* in, T* out, int64_t elements, double relative, uint64_t start) {
  const int64_t draws = (elements + kDrawn - 1) / kDrawn;
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t draw = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; draw < draws; draw += step)
    add_noise(in, out, elements, draw, relative, start);
}

template <typename T>
void launch(const void* in, void* out, int64_t elements, double relative, uint64_t start,
            void* stream) {
  constexpr int64_t kMostBlocks = 1 << 16;
  const int64_t draws = (elements + kDrawn - 1) / kDrawn;
  const int64_t blocks = (draws + kNoiseThreads - 1) / kNoiseThreads;
  move_by_noise<<<static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks),
                  kNoiseThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(in), static_cast<T*>(out), elements, relative, start);
  check(cudaGetLastError(), "move_by_noise");
}

}  // namespace

bool has_noise(DType dtype) {
  return dtype == DType::kFloat64 || dtype == DType::kFloat32 || dtype == DType::kBFloat16 ||
         dtype == DType::kFloat16;
}

void add_noise(const void* in, void* out, DType dtype, int64_t elements, double relative,
               uint64_t start) {
  launch_noise(in, out, dtype, elements, relative, start, nullptr);
}

void launch_noise(const void* in, void* out, DType dtype, int64_t elements, double relative,
                  uint64_t start, void* stream) {
  if (elements == 0) return;
  switch (dtype) {
    case DType::kFloat64:
      return launch<double>(in, out, elements, relative, start, stream);
    case DType::kFloat32:
      return launch<float>(in, out, elements, relative, start, stream);
    case DType::kBFloat16:
      return launch<BFloat16>(in, out, elements, relative, start, stream);
    case DType::kFloat16:
      return launch<Float16>(in, out, elements, relative, start, stream);
    default:
      throw InternalError("no noise for this type");
  }
}

}  // namespace assay::cuda
