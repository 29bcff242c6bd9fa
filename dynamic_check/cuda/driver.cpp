#include "dynamic_check/cuda/driver.h"

#include <cuda_runtime_api.h>

namespace assay::cuda {

int devices_of_driver() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

int compute_capability(int device) {
  int major = 0, minor = 0;
  const bool known =
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
  return known ? 10 * major + minor : 0;
}

}  // namespace assay::cuda
