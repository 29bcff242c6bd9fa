#include "dynamic_check/run/interpret/reduce_members.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "dynamic_check/keep/keep.h"

namespace assay {

at::Tensor reduce_members(Reduction reduction, std::span<const at::Tensor> members) {
  std::vector<StridedBuffer> buffers;
  for (const at::Tensor& member : members) buffers.push_back(contiguous(host_buffer(member)));
  const at::Tensor& first = members.front();
  const at::Tensor reduced = at::empty(first.sizes(), first.options().device(at::kCPU));
  reduce_buffers(reduction, buffers, writable_buffer(reduced).owned.get());
  if (first.is_cpu() && first.is_contiguous()) return reduced;
  return at::empty_like(first).copy_(reduced);
}

}  // namespace assay
