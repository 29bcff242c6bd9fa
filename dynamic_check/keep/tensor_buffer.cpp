#include "dynamic_check/keep/tensor_buffer.h"

#include <memory>

#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {

StridedBuffer buffer_of(const at::Tensor& tensor) {
  return {to_dtype(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec(),
          static_cast<const std::byte*>(tensor.const_data_ptr()), nullptr};
}

StridedBuffer host_buffer(const at::Tensor& tensor) {
  return tensor.is_cpu() ? buffer_of(tensor) : writable_buffer(tensor.contiguous().cpu());
}

StridedBuffer writable_buffer(const at::Tensor& tensor) {
  ASSAY_CHECK(tensor.is_cpu(), "what is written as memory is on the host");
  StridedBuffer buffer = buffer_of(tensor);
  auto* data = static_cast<std::byte*>(tensor.mutable_data_ptr());
  buffer.data = data;
  const auto keeper = std::make_shared<at::Tensor>(tensor);
  buffer.owned = std::shared_ptr<std::byte[]>(keeper, data);
  return buffer;
}

}  // namespace assay
