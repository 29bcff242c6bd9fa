#include "dynamic_check/run/reassociation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

#include "dynamic_check/numbers/numbers.h"

namespace assay {
namespace {

// Without the underscore of in-place operators.
std::string plain_name(const Node& node) {
  std::string name(operator_name(node));
  if (name.ends_with("_")) name.pop_back();
  return name;
}

// The operand that the operator subtracts: 0 or 1.
std::optional<size_t> subtracted(const Node& node) {
  const std::string name = plain_name(node);
  if (name == "aten.sub") return 1;
  if (name == "aten.rsub") return 0;
  return std::nullopt;
}

// Of each tensor the last node that adds it up; kNone where there is none.
std::vector<NodeId> last_sums(const Graph& graph) {
  std::vector<NodeId> last(graph.tensors.size(), kNone);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (!makes_sums(graph.nodes[node])) continue;
    for (const TensorId id : tensor_arguments(graph.nodes[node]))
      last[static_cast<size_t>(id)] = static_cast<NodeId>(node);
  }
  return last;
}

}  // namespace

bool makes_sums(const Node& node) {
  static const std::set<std::string, std::less<>> kSums{
      "aten.add",
      "aten.addbmm",
      "aten.addmm",
      "aten.addmv",
      "aten.avg_pool2d",
      "aten.baddbmm",
      "aten.bmm",
      "aten.conv1d",
      "aten.conv2d",
      "aten.convolution",
      "aten.convolution_backward",
      "aten.cumsum",
      "aten.dot",
      "aten.einsum",
      "aten.embedding_dense_backward",
      "aten.index_add",
      "aten.index_put",
      "aten.linear",
      "aten.matmul",
      "aten.mean",
      "aten.mm",
      "aten.mv",
      "aten.rsub",
      "aten.scatter_add",
      "aten.sub",
      "aten.sum",
  };
  return kSums.contains(plain_name(node));
}

std::vector<at::Tensor> reassociation_noise(const Graph& graph, NodeId id,
                                            const TensorLookup& operands, const Noise& noise,
                                            const DeclaredOperators* declared) {
  const Node& node = graph.nodes[static_cast<size_t>(id)];
  const std::vector<TensorId> arguments = tensor_arguments(node);
  const auto negative = subtracted(node);
  const auto magnitude_of = [&](TensorId operand) {
    const at::Tensor value = widened(operands(operand));
    if (!value.is_floating_point()) return value;
    const bool minus = negative && *negative < arguments.size() && arguments.size() > 1 &&
                       arguments[*negative] == operand && arguments[0] != arguments[1];
    return minus ? -value.abs() : value.abs();
  };
  std::vector<at::Tensor> result =
      run_operator(graph, node, magnitude_of, Arithmetic::kFloat64, declared);
  for (size_t i = 0; i < result.size(); ++i) {
    at::Tensor& output = result[i];
    if (!output.defined() || !output.is_floating_point()) {
      output = at::Tensor();
      continue;
    }
    const at::Tensor sums = output.abs();
    output = perturbed(sums, noise.sums,
                       {noise.seed, fmt::format("sums {} {} {}", id, i, noise.sample)}) -
             sums;
  }
  return result;
}

void interpret_reassociated(const Graph& graph, const Groups& groups,
                            std::map<RankTensorName, at::Tensor> inputs,
                            const std::set<std::string>& summed, const Noise& noise,
                            const DeclaredOperators* declared, const Seen& seen) {
  for (auto& [name, value] : inputs) {
    if (!value.is_floating_point()) continue;
    Noise here = noise;
    if (summed.contains(name.first)) here.relative = std::max(noise.relative, noise.sums);
    value = noisy_input(name.first, value.to(at::kDouble), here);
  }
  const std::vector<bool> rounds = rounding_nodes(graph);
  const std::vector<NodeId> last = last_sums(graph);
  std::map<TensorId, at::Tensor> operands;  // of sums that are still to be made
  NodeId current = kNone;
  std::vector<at::Tensor> moved;  // by the current node's sums
  const auto filter = [&](Rank, NodeId id, size_t output, const at::Tensor& value) {
    const auto index = static_cast<size_t>(id);
    if (!rounds[index] || !value.is_floating_point()) return value;
    if (id != current) {
      current = id;
      moved.clear();
      if (makes_sums(graph.nodes[index]))
        moved = reassociation_noise(
            graph, id, [&](TensorId operand) { return operands.at(operand); }, noise, declared);
      std::erase_if(operands,
                    [&](const auto& one) { return last[static_cast<size_t>(one.first)] <= id; });
    }
    const at::Tensor noisy = noisy_result(id, output, value, noise);
    return output < moved.size() && moved[output].defined() ? noisy + moved[output] : noisy;
  };
  const auto see = [&](Rank rank, TensorId id, const at::Tensor& value) {
    if (last[static_cast<size_t>(id)] != kNone) operands[id] = value;
    seen(rank, id, value);
  };
  interpret({graph}, groups, inputs, filter, nothing_wanted, declared, see);
}

}  // namespace assay
