// Rounding noise in tensors that are on a GPU, for numbers/rounding.h.
#pragma once

#include <cstdint>

#include "shared_ir/dtype.h"

namespace assay::cuda {

// Whether add_noise takes that type: all floating ones but float8.
bool has_noise(DType dtype);

// out[i] = in[i] * (1 + r), as numbers/rounding.h says, bit for bit as on the host; `start` as
// RoundingNoise has it. Both lie in the memory of the current device and may be the same. On
// LibTorch's default stream, without waiting for it. Throws InternalError on an error of CUDA, and
// where the build has no kernels.
void add_noise(const void* in, void* out, DType dtype, int64_t elements, double relative,
               uint64_t start);

// The kernel of add_noise on a stream (a cudaStream_t).
void launch_noise(const void* in, void* out, DType dtype, int64_t elements, double relative,
                  uint64_t start, void* stream);

}  // namespace assay::cuda
