// Of a build without nvcc.
#include "dynamic_check/cuda/block_sums.h"
#include "dynamic_check/cuda/driver.h"
#include "dynamic_check/cuda/noise.h"
#include "shared_ir/base/error.h"

namespace assay::cuda {
namespace {

[[noreturn]] void fail() { throw InternalError("this build has no CUDA kernels"); }

}  // namespace

int devices_of_driver() { return 0; }

int compute_capability(int) { return 0; }

bool has_kernels() { return false; }

bool has_block_sums(DType, DType) { return false; }

std::vector<BlockSums> block_sums(const Operand&, const Operand&, int64_t, int64_t) { fail(); }

void launch_block_sums(const Operand&, const Operand&, int64_t, int64_t, void*) { fail(); }

bool has_noise(DType) { return false; }

void add_noise(const void*, void*, DType, int64_t, double, uint64_t) { fail(); }

void launch_noise(const void*, void*, DType, int64_t, double, uint64_t, void*) { fail(); }

}  // namespace assay::cuda
