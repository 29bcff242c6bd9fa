// Sums over the blocks of tensors that are on a GPU, for numbers/norms.h.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamic_check/cuda/block_sums_kernel.h"
#include "shared_ir/dtype.h"

namespace assay::cuda {

// Elements in the memory of the current device, one after the other.
struct Operand {
  const void* data = nullptr;
  DType dtype = DType::kFloat32;
};

// Whether the build has the kernels of this folder.
bool has_kernels();

// Whether block_sums takes operands of these types: each floating type with itself and with
// float64.
bool has_block_sums(DType a, DType b);

// Sums of a - b over each run of `block` elements: at most kMaxNormBlocks of them. `b` without
// data: of a alone. Reads what kernels on LibTorch's default stream have written. Two threads take
// turns. Throws InternalError on an error of CUDA, and where the build has no kernels.
std::vector<BlockSums> block_sums(const Operand& a, const Operand& b, int64_t elements,
                                  int64_t block);

// The kernel of block_sums alone, on a stream (a cudaStream_t), without its result: for measuring.
// One call at a time on a device.
void launch_block_sums(const Operand& a, const Operand& b, int64_t elements, int64_t block,
                       void* stream);

}  // namespace assay::cuda
