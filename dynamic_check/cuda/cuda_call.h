// Errors of CUDA's runtime. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "shared_ir/base/error.h"

namespace assay::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw InternalError(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace assay::cuda
