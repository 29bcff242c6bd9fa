#include "shared_ir/capture/record/whole_composites.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/to_native.h>
#include <torch/library.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

// Below autograd, an operator that is made of others arrives as one.
void call_whole(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const at::AutoDispatchBelowADInplaceOrView below;
  op.callBoxed(stack);
}

// As at::_scaled_dot_product_attention_math, but that this writes the mask into the products, where
// they are no meta tensors.
at::Tensor defined_attention(const at::Tensor& query, at::Tensor key, at::Tensor value,
                             const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                             std::optional<double> scale, bool enable_gqa) {
  const at::ScalarType type = query.scalar_type();
  const bool narrow = type == at::kHalf || type == at::kBFloat16;
  const auto wide = [&](const at::Tensor& tensor) {
    return narrow ? tensor.to(at::kFloat) : tensor;
  };
  if (enable_gqa) {
    key = key.repeat_interleave(query.size(-3) / key.size(-3), -3);
    value = value.repeat_interleave(query.size(-3) / value.size(-3), -3);
  }
  // The root of the scale, by which that multiplies queries and keys, is no simple fraction.
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  at::Tensor weights = at::matmul(wide(query), wide(key).transpose(-2, -1)) * factor;
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (is_causal) {
    TORCH_CHECK(!mask, "attention takes a mask or is causal, not both");
    const auto options = query.options().dtype(at::kBool);
    weights =
        weights.masked_fill(at::ones({query.size(-2), key.size(-2)}, options).triu(1), kNever);
  }
  if (mask && mask->scalar_type() == at::kBool)
    weights = weights.masked_fill(mask->logical_not(), kNever);
  else if (mask)
    weights = weights + *mask;
  // Of a query that sees nothing, the weights are 0.
  weights = mask ? at::_safe_softmax(weights, -1) : at::softmax(weights, -1);
  if (dropout > 0) weights = at::dropout(weights, dropout, /*train=*/true);
  return at::matmul(weights, wide(value)).to(type);
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                     std::optional<double> scale, bool enable_gqa) {
  if (is_recording())
    return defined_attention(query, key, value, mask, dropout, is_causal, scale, enable_gqa);
  return at::native::scaled_dot_product_attention(query, key, value, mask, dropout, is_causal,
                                                  scale, enable_gqa);
}

// Where a tensor is captured there is one device, and a move to another one is none.
at::Tensor to_options(const at::Tensor& tensor, std::optional<at::ScalarType> dtype,
                      std::optional<at::Layout> layout, std::optional<at::Device> device,
                      std::optional<bool> pinned, bool non_blocking, bool copy,
                      std::optional<at::MemoryFormat> format) {
  if (is_recording()) device = tensor.device();
  return at::native::to(tensor, dtype, layout, device, pinned, non_blocking, copy, format);
}

at::Tensor to_device(const at::Tensor& tensor, at::Device device, at::ScalarType dtype,
                     bool non_blocking, bool copy, std::optional<at::MemoryFormat> format) {
  if (is_recording()) device = tensor.device();
  return at::native::to(tensor, device, dtype, non_blocking, copy, format);
}

}  // namespace

void register_whole_composites() {
  // For each device: what LibTorch makes of others has precedence over kernels for all of them.
  static auto* libraries = [] {
    auto* registered = new std::vector<torch::Library>;
    for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA,
                           c10::DispatchKey::AutogradMeta}) {
      torch::Library& library =
          registered->emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
      library.impl("one_hot", torch::CppFunction::makeFromBoxedFunction<&call_whole>());
      library.impl("scaled_dot_product_attention", TORCH_FN(attention));
      if (key != c10::DispatchKey::AutogradMeta) continue;
      library.impl("to.dtype_layout", TORCH_FN(to_options));
      library.impl("to.device", TORCH_FN(to_device));
      // One kernel on devices.
      for (const char* name : {"mish_backward", "native_channel_shuffle"})
        library.impl(name, torch::CppFunction::makeFromBoxedFunction<&call_whole>());
    }
    return registered;
  }();
  static_cast<void>(libraries);
}

}  // namespace assay
