#include "dynamic_check/compare/norms_cuda.h"
#include "shared_ir/error.h"

namespace assay {

bool has_cuda_kernels() { return false; }

void cuda_block_squares(const double*, const double*, int64_t, int64_t, std::vector<double>&) {
  throw UserError({}, "this build of Assay has no CUDA kernels",
                  "build it where nvcc is, or run on the CPU");
}

}  // namespace assay
