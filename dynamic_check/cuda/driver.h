// What CUDA's driver says.
#pragma once

namespace assay::cuda {

// GPUs that the driver shows to this process; 0 without a driver, or in a build without CUDA.
int devices_of_driver();

// 10 * major + minor of a GPU's compute capability, 90 for an H100; 0 where there is none.
int compute_capability(int device);

}  // namespace assay::cuda
