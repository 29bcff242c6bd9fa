// GPU side of compare/norms.h. Built with nvcc where it is, else a stand-in that reports its
// absence.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// True when the build has CUDA kernels.
bool has_cuda_kernels();

// squares[k] = sum over block k of (a - b)^2, elements with a non-finite difference left out. `a`
// and `b` point to `elements` float64 numbers on the current device. Throws InternalError on a CUDA
// error, UserError when the build has no CUDA kernels.
void cuda_block_squares(const double* a, const double* b, int64_t elements, int64_t block,
                        std::vector<double>& squares);

}  // namespace assay
