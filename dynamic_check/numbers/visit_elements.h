// The elements of floating tensors as C++ sees them.
#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

// Calls visit(const T*) with the tensor's elements, row-major, T its element type where kernels
// have one, else double. The tensor is on the CPU.
template <typename Visit>
auto visit_elements(const at::Tensor& tensor, const Visit& visit) {
  const at::Tensor elements = tensor.contiguous();
  switch (elements.scalar_type()) {
    case at::kFloat:
      return visit(elements.const_data_ptr<float>());
    case at::kBFloat16:
      return visit(elements.const_data_ptr<at::BFloat16>());
    case at::kHalf:
      return visit(elements.const_data_ptr<at::Half>());
    default: {
      const at::Tensor wide = elements.to(at::kDouble);
      return visit(wide.const_data_ptr<double>());
    }
  }
}

}  // namespace assay
