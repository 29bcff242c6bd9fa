#include <cuda_runtime.h>

#include <string>

#include "dynamic_check/compare/norms_cuda.h"
#include "shared_ir/error.h"

namespace assay {
namespace {

constexpr int kThreads = 256;

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw InternalError(std::string(what) + ": " + cudaGetErrorString(status));
}

// Device memory of one call.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) {
    check(cudaMalloc(&data_, count * sizeof(double)), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  double* get() const { return static_cast<double*>(data_); }

 private:
  void* data_ = nullptr;
};

// One thread block per tensor block: each thread sums a stride, then a tree sums the threads, so
// that the order of additions is fixed.
__global__ void block_squares(const double* a, const double* b, int64_t elements, int64_t block,
                              double* squares) {
  __shared__ double partial[kThreads];
  const int64_t begin = blockIdx.x * block;
  const int64_t end = begin + block < elements ? begin + block : elements;
  double sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    const double difference = a[i] - b[i];
    if (isfinite(difference)) sum += difference * difference;
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) squares[blockIdx.x] = partial[0];
}

}  // namespace

bool has_cuda_kernels() { return true; }

void cuda_block_squares(const double* a, const double* b, int64_t elements, int64_t block,
                        std::vector<double>& squares) {
  if (squares.empty()) return;
  const DeviceBuffer device(squares.size());
  block_squares<<<static_cast<unsigned>(squares.size()), kThreads>>>(a, b, elements, block,
                                                                     device.get());
  check(cudaGetLastError(), "block_squares");
  check(cudaMemcpy(squares.data(), device.get(), squares.size() * sizeof(double),
                   cudaMemcpyDeviceToHost),
        "copying block squares");
}

}  // namespace assay
