#include "dynamic_check/keep/tensor_trace.h"

#include <ATen/ops/empty.h>

#include <bit>
#include <span>
#include <utility>

#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {

static_assert(std::endian::native == std::endian::little, "traces hold memory as it is");

void add_tensor(TraceWriter& trace, TracedTensor described, const at::Tensor& tensor) {
  const at::Tensor data = tensor.detach().resolve_neg().cpu().contiguous();
  described.dtype = to_dtype(data.scalar_type());
  described.shape = data.sizes().vec();
  trace.add(described, {static_cast<const std::byte*>(data.const_data_ptr()), data.nbytes()});
}

at::Tensor read_tensor(TraceReader& trace, size_t index) {
  const TracedTensor& traced = trace.tensors()[index];
  at::Tensor tensor = at::empty(traced.shape, to_scalar_type(traced.dtype));
  trace.read(index, {static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes()});
  return tensor;
}

TensorTrace::TensorTrace(const std::filesystem::path& file) : file_(file.string()), reader_(file) {
  for (size_t i = 0; i < tensors().size(); ++i) places_.emplace(tensors()[i].name, i);
}

const TracedTensor* TensorTrace::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &tensors()[found->second];
}

at::Tensor TensorTrace::read(const std::string& name) {
  const auto found = places_.find(name);
  if (found == places_.end()) return {};
  return read_tensor(reader_, found->second);
}

}  // namespace assay
