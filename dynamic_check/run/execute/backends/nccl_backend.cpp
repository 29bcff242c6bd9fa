// LibTorch's NCCL backend, for programs that link assay::nccl_executor.
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "dynamic_check/run/execute/backends/process_backend.h"

namespace assay {
namespace {

using Nccl = c10d::ProcessGroupNCCL;

c10::intrusive_ptr<c10d::Backend> make(const BackendRequest& request) {
  auto options = Nccl::Options::create();
  options->timeout = request.timeout;
  return c10::make_intrusive<Nccl>(request.store, request.member, request.size, options);
}

}  // namespace
}  // namespace assay

// The linker keeps this file for the sake of this name (dynamic_check/CMakeLists.txt).
extern "C" const bool assay_uses_nccl = assay::add_process_backend(
    "nccl",
    {.device = c10::DeviceType::CUDA,
     .devices = [] { return static_cast<int>(c10::cuda::device_count()); },
     .enter =
         [](int local_rank) { c10::cuda::set_device(static_cast<c10::DeviceIndex>(local_rank)); },
     .make = assay::make});
