#include "dynamic_check/cuda/cuda_call.h"
#include "dynamic_check/cuda/kernel_elements.h"
#include "tests/gpu/swiglu.h"

namespace assay::test {
namespace {

using cuda::BFloat16;

__device__ float number(float x) { return x; }
__device__ float number(uint16_t x) { return cuda::to_float(BFloat16{x}); }
__device__ void store(float& to, float x) { to = x; }
__device__ void store(uint16_t& to, float x) { to = cuda::to_bfloat16(x).bits; }

template <typename T>
__global__ void swiglu(const T* gate, const T* up, T* out, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const float x = number(gate[i]);
  store(out[i], x / (1 + expf(-x)) * number(up[i]));
}

template <typename T>
void launch(const T* gate, const T* up, T* out, int64_t elements, bool last_left_out) {
  constexpr int64_t kThreads = 128;
  const int64_t blocks = (elements + kThreads - 1) / kThreads - (last_left_out ? 1 : 0);
  if (blocks <= 0) return;
  swiglu<<<static_cast<unsigned>(blocks), kThreads>>>(gate, up, out, elements);
  cuda::check(cudaGetLastError(), "swiglu");
}

}  // namespace

void swiglu_on_gpu(const float* gate, const float* up, float* out, int64_t elements,
                   bool last_left_out) {
  launch(gate, up, out, elements, last_left_out);
}

void swiglu_on_gpu(const uint16_t* gate, const uint16_t* up, uint16_t* out, int64_t elements,
                   bool last_left_out) {
  launch(gate, up, out, elements, last_left_out);
}

}  // namespace assay::test
