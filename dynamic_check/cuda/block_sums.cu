#include <mutex>

#include "dynamic_check/cuda/block_sums.h"
#include "dynamic_check/cuda/cuda_call.h"

namespace assay::cuda {
namespace {

// Of the one call of block_sums that is under way on a device.
__device__ BlockSums partial_sums[kMaxNormBlocks * kMaxChunks];
__device__ BlockSums sums_of_blocks[kMaxNormBlocks];
__device__ unsigned finished_chunks[kMaxNormBlocks];  // zero between calls

constexpr int kWarp = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;

// Of a warp, in a fixed order; lane 0 has the result.
__device__ BlockSums sum_of_warp(BlockSums sums) {
  for (int half = kWarp / 2; half > 0; half /= 2) {
    sums.squares += __shfl_down_sync(kWholeWarp, sums.squares, half);
    sums.not_finite += __shfl_down_sync(kWholeWarp, sums.not_finite, half);
    sums.mismatches += __shfl_down_sync(kWholeWarp, sums.mismatches, half);
  }
  return sums;
}

// Thread 0 has the result.
__device__ BlockSums sum_of_threads(BlockSums sums) {
  constexpr int kWarps = kNormThreads / kWarp;
  __shared__ BlockSums of_warps[kWarps];
  sums = sum_of_warp(sums);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = sums;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < kWarps; ++warp) add(sums, of_warps[warp]);
  return sums;
}

// blockIdx: chunk, block. The last thread block of a block of the tensor adds up its chunks, so
// that the order of additions is fixed, whichever that is.
template <typename T, typename U>
__global__ void __launch_bounds__(kNormThreads)
    sum_blocks(const T* __restrict__ a, const U* __restrict__ b, const NormsPlan plan) {
  const BlockSums own = sum_of_threads(
      thread_sums(a, b, plan, blockIdx.y, blockIdx.x, static_cast<int>(threadIdx.x)));
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) sums_of_blocks[blockIdx.y] = own;
    return;
  }
  __shared__ bool is_last;
  BlockSums* const partial = partial_sums + blockIdx.y * kMaxChunks;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    __threadfence();
    // Wraps to zero for the next call.
    is_last = atomicInc(&finished_chunks[blockIdx.y], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= kWarp) return;
  __threadfence();
  BlockSums sums;
  for (unsigned chunk = threadIdx.x; chunk < gridDim.x; chunk += kWarp) {
    const volatile BlockSums& written = partial[chunk];
    sums.squares += written.squares;
    sums.not_finite += written.not_finite;
    sums.mismatches += written.mismatches;
  }
  sums = sum_of_warp(sums);
  if (threadIdx.x == 0) sums_of_blocks[blockIdx.y] = sums;
}

template <typename T, typename U>
void launch(const Operand& a, const Operand& b, int64_t elements, int64_t block,
            cudaStream_t stream) {
  const NormsPlan plan = plan_norms(elements, block, kPerVector<T, U>);
  const dim3 grid(static_cast<unsigned>(plan.chunks), static_cast<unsigned>(plan.blocks));
  sum_blocks<<<grid, kNormThreads, 0, stream>>>(static_cast<const T*>(a.data),
                                                static_cast<const U*>(b.data), plan);
  check(cudaGetLastError(), "sum_blocks");
}

using Launch = void (*)(const Operand&, const Operand&, int64_t, int64_t, cudaStream_t);

template <typename T>
Launch launch_with(DType b, bool alone, DType own) {
  if (alone) return launch<T, Nothing>;
  if (b == own) return launch<T, T>;
  return b == DType::kFloat64 ? launch<T, double> : nullptr;
}

Launch launch_for(DType a, DType b, bool alone) {
  switch (a) {
    case DType::kFloat64:
      return launch_with<double>(b, alone, a);
    case DType::kFloat32:
      return launch_with<float>(b, alone, a);
    case DType::kBFloat16:
      return launch_with<BFloat16>(b, alone, a);
    case DType::kFloat16:
      return launch_with<Float16>(b, alone, a);
    case DType::kFloat8E4M3:
      return launch_with<Float8E4M3>(b, alone, a);
    case DType::kFloat8E5M2:
      return launch_with<Float8E5M2>(b, alone, a);
    default:
      return nullptr;
  }
}

}  // namespace

bool has_kernels() { return true; }

bool has_block_sums(DType a, DType b) { return launch_for(a, b, false) != nullptr; }

void launch_block_sums(const Operand& a, const Operand& b, int64_t elements, int64_t block,
                       void* stream) {
  const Launch launch = launch_for(a.dtype, b.dtype, b.data == nullptr);
  ASSAY_CHECK(launch != nullptr, "no kernel for these types");
  launch(a, b, elements, block, static_cast<cudaStream_t>(stream));
}

std::vector<BlockSums> block_sums(const Operand& a, const Operand& b, int64_t elements,
                                  int64_t block) {
  if (elements == 0) return {};
  const auto blocks = static_cast<size_t>((elements + block - 1) / block);
  ASSAY_CHECK(blocks <= kMaxNormBlocks, "more blocks than a norm has");
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  launch_block_sums(a, b, elements, block, nullptr);
  std::vector<BlockSums> sums(blocks);
  check(cudaMemcpyFromSymbol(sums.data(), sums_of_blocks, blocks * sizeof(BlockSums)),
        "copying the sums of blocks");
  return sums;
}

}  // namespace assay::cuda
