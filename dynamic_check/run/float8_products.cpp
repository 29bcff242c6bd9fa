#include "dynamic_check/run/float8_products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/run/record.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/cast.h"
#include "shared_ir/operator_table/operator_facts.h"

namespace assay {
namespace {

double largest_number(DType float8) { return float8 == DType::kFloat8E4M3 ? 448 : 57344; }

// A tensor in float8, times the scale.
struct Scaled {
  at::Tensor numbers;
  double scale = 1;
};

// By the power of two that brings the largest magnitude into the upper half of the format's range.
// nullopt where there is none: of zeros, and where something is not finite.
std::optional<Scaled> in_float8(const at::Tensor& factor, DType float8) {
  const at::Tensor wide = factor.to(at::kFloat);
  const auto magnitude = wide.numel() > 0 ? wide.abs().amax().item<double>() : 0.0;
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return std::nullopt;
  const double scale = std::exp2(std::floor(std::log2(largest_number(float8) / magnitude)));
  return Scaled{(wide * scale).to(to_scalar_type(float8)), scale};
}

// cuBLAS multiplies e4m3 by e4m3 from compute capability 8.9 on, in multiples of 16.
bool has_native_product(const at::Tensor& a, const at::Tensor& b, DType float8) {
  constexpr int kAda = 89;
  constexpr int64_t kMultiple = 16;
  return float8 == DType::kFloat8E4M3 && a.is_cuda() && a.dim() == 2 && b.dim() == 2 &&
         a.numel() > 0 && a.size(1) % kMultiple == 0 && b.size(1) % kMultiple == 0 &&
         cuda::compute_capability(a.get_device()) >= kAda;
}

// a @ b by the device's own float8 product; undefined where it has none for them.
at::Tensor native_product(const at::Tensor& a, const at::Tensor& b, DType float8) {
  if (!has_native_product(a, b, float8)) return {};
  const auto left = in_float8(a, float8), right = in_float8(b, float8);
  if (!left || !right) return {};
  const auto undone = [&](const Scaled& factor) {
    return at::full({}, 1 / factor.scale, a.options().dtype(at::kFloat));
  };
  return at::_scaled_mm(left->numbers.contiguous(), right->numbers.t().contiguous().t(),
                        undone(*left), undone(*right), {}, {}, a.scalar_type());
}

}  // namespace

int32_t first_factor(const Node& node) {
  const auto product = product_of(node);
  return product && !product->batched ? static_cast<int32_t>(product->first) : kNone;
}

at::Tensor through_float8(const at::Tensor& factor, DType float8) {
  const auto scaled = in_float8(factor, float8);
  if (!scaled) return factor;
  return (scaled->numbers.to(at::kFloat) / scaled->scale).to(factor.scalar_type());
}

void round_product(const Graph& graph, NodeId id, DType float8, const TensorLookup& operands,
                   std::span<const at::Tensor> outputs, const Noise& noise) {
  const Node& node = graph.nodes[static_cast<size_t>(id)];
  const int32_t first = first_factor(node);
  if (first == kNone || outputs.empty() || !outputs[0].defined()) return;
  const std::vector<TensorId> arguments = tensor_arguments(node);
  // A product of a tensor with itself reads it twice, and rounds it alike.
  std::map<TensorId, at::Tensor> factors;
  const TensorId ids[] = {arguments.at(static_cast<size_t>(first)),
                          arguments.at(static_cast<size_t>(first) + 1)};
  for (const TensorId factor : ids) {
    factors[factor] =
        perturbed(operands(factor), noise.relative,
                  {noise.seed, fmt::format("factor {} {} {}", id, factor, noise.sample)});
  }
  if (arguments.size() == 2) {
    const at::Tensor native = native_product(factors[ids[0]], factors[ids[1]], float8);
    if (native.defined()) return overwrite(outputs[0], native);
  }
  for (auto& [factor, value] : factors) value = through_float8(value, float8);
  const auto lookup = [&](TensorId operand) {
    const auto factor = factors.find(operand);
    return factor == factors.end() ? operands(operand) : factor->second;
  };
  overwrite(outputs[0], run_operator(graph, node, lookup, Arithmetic::kAsRecorded).at(0));
}

KernelHook kernels_of(DType precision, const KernelHook& hook) {
  if (!is_float8(precision)) return hook;
  return [precision, hook](const KernelCall& call) {
    if (first_factor(call.node) != kNone) {
      const NodeId id = call.graph.tensors[static_cast<size_t>(call.node.outputs[0])].producer;
      const std::vector<TensorId> arguments = tensor_arguments(call.node);
      const auto lookup = [&](TensorId operand) {
        const auto at = std::find(arguments.begin(), arguments.end(), operand);
        return call.inputs[static_cast<size_t>(at - arguments.begin())];
      };
      round_product(call.graph, id, precision, lookup, call.outputs);
    }
    if (hook) hook(call);
  };
}

}  // namespace assay
