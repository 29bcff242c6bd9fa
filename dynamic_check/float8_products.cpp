#include "dynamic_check/float8_products.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dynamic_check/record.h"
#include "dynamic_check/tolerance/rounding.h"
#include "shared_ir/capture/scalar_type.h"
#include "shared_ir/cast.h"

namespace assay {
namespace {

double largest_number(DType float8) { return float8 == DType::kFloat8E4M3 ? 448 : 57344; }

}  // namespace

DType storage_dtype(DType precision) { return is_float8(precision) ? DType::kBFloat16 : precision; }

int32_t first_factor(const Node& node) {
  static const std::map<std::string_view, int32_t> kProducts{{"aten.mm", 0}, {"aten.addmm", 1}};
  const auto found = kProducts.find(operator_name(node));
  return found == kProducts.end() ? kNone : found->second;
}

at::Tensor through_float8(const at::Tensor& factor, DType float8) {
  const at::Tensor wide = factor.to(at::kFloat);
  const auto magnitude = wide.numel() > 0 ? wide.abs().amax().item<double>() : 0.0;
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return factor;
  const double scale = std::exp2(std::floor(std::log2(largest_number(float8) / magnitude)));
  return ((wide * scale).to(to_scalar_type(float8)).to(at::kFloat) / scale)
      .to(factor.scalar_type());
}

void round_product(const Graph& graph, NodeId id, DType float8, const TensorLookup& operands,
                   std::span<const at::Tensor> outputs, const Noise& noise) {
  const Node& node = graph.nodes[static_cast<size_t>(id)];
  const int32_t first = first_factor(node);
  if (first == kNone || outputs.empty() || !outputs[0].defined()) return;
  const std::vector<TensorId> arguments = tensor_arguments(node);
  // A product of a tensor with itself reads it twice, and rounds it alike.
  std::map<TensorId, at::Tensor> factors;
  for (const auto at : {static_cast<size_t>(first), static_cast<size_t>(first) + 1}) {
    const TensorId factor = arguments.at(at);
    const at::Tensor noisy =
        perturbed(operands(factor), noise.relative,
                  {noise.seed, fmt::format("factor {} {} {}", id, factor, noise.sample)});
    factors.insert_or_assign(factor, through_float8(noisy, float8));
  }
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
