// In place, unseen.
#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

// Overwrites a tensor's elements without a trace in autograd or in the recording.
void overwrite(const at::Tensor& tensor, const at::Tensor& value);

}  // namespace assay
