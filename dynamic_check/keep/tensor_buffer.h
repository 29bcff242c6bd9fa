// The memory of tensors, for what computes without LibTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include "dynamic_check/buffers/buffers.h"

namespace assay {

// A view, which the tensor must outlive. Of a GPU's memory it has the address, for nobody to read.
// Throws UserError for types that Assay does not know.
StridedBuffer buffer_of(const at::Tensor& tensor);

// A view of the host's memory, and of other memory a copy in the host's, which is complete.
StridedBuffer host_buffer(const at::Tensor& tensor);

// A view that keeps the tensor's memory, for writing. The tensor is on the host.
StridedBuffer writable_buffer(const at::Tensor& tensor);

}  // namespace assay
