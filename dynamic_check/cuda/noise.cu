#include "dynamic_check/cuda/cuda_call.h"
#include "dynamic_check/cuda/noise.h"
#include "dynamic_check/cuda/noise_kernel.h"

namespace assay::cuda {
namespace {

template <typename T>
__global__ void __launch_bounds__(kNoiseThreads)
    move_by_noise(const T* in, T* out, int64_t elements, double relative, uint64_t start) {
  add_noise(in, out, elements, int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
            int64_t{gridDim.x} * blockDim.x, relative, start);
}

template <typename T>
void launch(const void* in, void* out, int64_t elements, double relative, uint64_t start,
            void* stream) {
  move_by_noise<<<static_cast<unsigned>(noise_blocks(elements)), kNoiseThreads, 0,
                  static_cast<cudaStream_t>(stream)>>>(
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
