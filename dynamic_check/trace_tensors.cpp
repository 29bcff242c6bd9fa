#include "dynamic_check/trace_tensors.h"

#include <ATen/ops/empty.h>

#include "shared_ir/capture/scalar_type.h"

namespace assay {

void add_to_trace(TraceWriter& writer, TracedTensor described, const at::Tensor& tensor) {
  const at::Tensor data = tensor.detach().cpu().contiguous();
  described.dtype = to_dtype(data.scalar_type());
  described.shape.assign(data.sizes().begin(), data.sizes().end());
  writer.add(described, {static_cast<const std::byte*>(data.const_data_ptr()), data.nbytes()});
}

at::Tensor read_from_trace(TraceReader& reader, size_t tensor) {
  const TracedTensor& described = reader.tensors()[tensor];
  const at::Tensor data = at::empty(described.shape, to_scalar_type(described.dtype));
  reader.read(tensor, {static_cast<std::byte*>(data.mutable_data_ptr()), data.nbytes()});
  return data;
}

}  // namespace assay
