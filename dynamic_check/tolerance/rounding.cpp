#include "dynamic_check/tolerance/rounding.h"

#include <ATen/TensorOperators.h>

#include <set>
#include <string>

#include "dynamic_check/interpret/boxed_call.h"

namespace assay {

double unit_roundoff(DType dtype) { return machine_epsilon(dtype) / 2; }

at::Tensor perturbed(const at::Tensor& tensor, double relative, const RandomKey& key) {
  if (!tensor.is_floating_point()) return tensor;
  const at::Tensor noise = symmetric_tensor(key, tensor.sizes().vec()).to(tensor.device());
  return (tensor.to(at::kDouble) * (noise * relative + 1)).to(tensor.scalar_type());
}

bool is_exact(const Node& node) {
  static const std::set<std::string, std::less<>> kExact{
      "aten.abs",
      "aten.amax",
      "aten.amin",
      "aten.cat",
      "aten.clamp",
      "aten.clone",
      "aten.constant_pad_nd",
      "aten.copy",
      "aten.embedding",
      "aten.fill",
      "aten.gather",
      "aten.index",
      "aten.index_select",
      "aten.masked_fill",
      "aten.max",
      "aten.maximum",
      "aten.min",
      "aten.minimum",
      "aten.neg",
      "aten.relu",
      "aten.repeat",
      "aten.select_backward",
      "aten.select_scatter",
      "aten.slice_backward",
      "aten.slice_scatter",
      "aten.stack",
      "aten.threshold_backward",
      "aten.tril",
      "aten.triu",
      "aten.where",
      "_c10d_functional.all_gather_into_tensor",
      "_c10d_functional.all_to_all_single",
      "_c10d_functional.broadcast",
      "_c10d_functional.wait_tensor",
  };
  return is_view_operator(node) || kExact.contains(operator_name(node));
}

}  // namespace assay
