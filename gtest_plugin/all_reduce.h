// The collective that Program offers itself.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
}

namespace assay {

// Sum over the group's ranks; the gradient passes unchanged (Megatron-LM's g, Shoeybi et al. 2019,
// section 3).
at::Tensor sum_over_ranks(const at::Tensor& tensor,
                          const c10::intrusive_ptr<c10d::ProcessGroup>& group);

}  // namespace assay
