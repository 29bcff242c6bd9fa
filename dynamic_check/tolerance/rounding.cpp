#include "dynamic_check/tolerance/rounding.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <set>
#include <string>

#include "dynamic_check/compare/elements.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/record.h"

namespace assay {

double unit_roundoff(DType dtype) { return machine_epsilon(dtype) / 2; }

namespace {

// out[i] = in[i] with its rounding noise, on the CPU, where T is the tensor's element type. They
// may be the same.
template <typename T>
void add_noise(const T* in, T* out, int64_t elements, double relative, const RoundingNoise& noise) {
  constexpr int64_t kAtATime = 1 << 15;
  at::parallel_for(0, elements, kAtATime, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double factor = 1 + relative * noise.at(static_cast<uint64_t>(i));
      out[i] = static_cast<T>(static_cast<double>(in[i]) * factor);
    }
  });
}

// Writes to `result`, which is contiguous; false where its type has no kernels of its own.
bool write_perturbed(const at::Tensor& tensor, double relative, const RandomKey& key,
                     const at::Tensor& result) {
  const RoundingNoise noise(key);
  return visit_elements(tensor, [&]<typename T>(const T* in) {
    if (result.scalar_type() != c10::CppTypeToScalarType<T>::value) return false;
    add_noise(in, result.mutable_data_ptr<T>(), result.numel(), relative, noise);
    return true;
  });
}

}  // namespace

at::Tensor perturbed(const at::Tensor& tensor, double relative, const RandomKey& key) {
  if (!tensor.is_floating_point()) return tensor;
  const at::Tensor result = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
  // Types without kernels of their own, such as float8, go through float64.
  if (!write_perturbed(tensor.cpu(), relative, key, result))
    return perturbed(tensor.to(at::kDouble), relative, key).to(tensor.scalar_type());
  return result.to(tensor.device());
}

void perturb(const at::Tensor& tensor, double relative, const RandomKey& key) {
  if (!tensor.is_floating_point()) return;
  if (tensor.is_cpu() && tensor.is_contiguous() && write_perturbed(tensor, relative, key, tensor))
    return;
  overwrite(tensor, perturbed(tensor, relative, key));
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
