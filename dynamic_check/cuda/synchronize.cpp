#include "dynamic_check/cuda/synchronize.h"

#include <ATen/Context.h>

namespace assay {

void synchronize(c10::Device device) {
  if (!device.is_cuda()) return;
  const c10::DeviceIndex index = device.has_index() ? device.index() : c10::DeviceIndex{0};
  at::detail::getCUDAHooks().deviceSynchronize(index);
}

}  // namespace assay
