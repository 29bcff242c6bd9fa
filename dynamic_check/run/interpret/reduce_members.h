// Reductions of tensors that are at hand together: what collectives compute (reduce_buffers.h), for
// the interpreter and for the check that a recorded collective is the reduction of its recorded
// inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "dynamic_check/buffers/buffers.h"

namespace assay {

// `members`: at least one, all of one shape, dtype and device. On a GPU, by way of the host.
at::Tensor reduce_members(Reduction reduction, std::span<const at::Tensor> members);

}  // namespace assay
