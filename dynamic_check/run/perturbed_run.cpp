#include "dynamic_check/run/perturbed_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/operator_table/operator_facts.h"

namespace assay {
namespace {

// Below, the time of a copy is worth more than the memory. Less where only what is wanted stays: a
// deep model of small tensors has many of these.
constexpr size_t kManyBytes = 1 << 20, kManyOfWanted = 64 << 10;

bool reads_floating(const Graph& graph, const Node& node) {
  for (TensorId id : tensor_arguments(node)) {
    if (is_floating(graph.tensors[static_cast<size_t>(id)].dtype)) return true;
  }
  return false;
}

}  // namespace

at::Tensor noisy_input(const std::string& name, const at::Tensor& value, const Noise& noise) {
  if (noise.relative == 0) return value;
  return perturbed(value, noise.relative, {noise.seed, fmt::format("{} {}", name, noise.sample)});
}

bool rounds_nothing(const Graph& graph, const Node& node) {
  return is_view_operator(node) || is_exact(graph, node);
}

std::vector<bool> rounding_nodes(const Graph& graph) {
  std::vector<bool> rounds;
  for (const Node& node : graph.nodes)
    rounds.push_back(!rounds_nothing(graph, node) && reads_floating(graph, node));
  return rounds;
}

namespace {

RandomKey key_of(NodeId node, size_t output, const Noise& noise) {
  return {noise.seed, fmt::format("node {} {} {}", node, output, noise.sample)};
}

}  // namespace

at::Tensor noisy_result(NodeId node, size_t output, const at::Tensor& value, const Noise& noise) {
  return perturbed(value, noise.relative, key_of(node, output, noise));
}

void add_noise(NodeId node, size_t output, const at::Tensor& value, const Noise& noise) {
  perturb(value, noise.relative, key_of(node, output, noise));
}

std::vector<Values> interpret_with_noise(const std::vector<Graph>& graphs, const Groups& groups,
                                         std::map<RankTensorName, at::Tensor> inputs,
                                         const Noise& noise, const Wanted& wanted,
                                         const DeclaredOperators* declared, const Seen& seen) {
  for (auto& [name, value] : inputs) {
    if (value.is_floating_point()) value = noisy_input(name.first, value.to(at::kDouble), noise);
  }
  const auto is_wanted = [&](Rank rank, TensorId id) { return !wanted || wanted(rank, id); };
  // Of a large output: it shares the memory of a kept one.
  const auto is_view_of_kept = [&](Rank rank, const Node& node) {
    const std::vector<TensorId> operands = tensor_arguments(node);
    return !operands.empty() && is_wanted(rank, operands.front()) && is_view_operator(node);
  };
  std::vector<std::vector<bool>> rounds;
  for (const Graph& graph : graphs) rounds.push_back(rounding_nodes(graph));
  const auto filter = [&](Rank rank, NodeId id, size_t output, const at::Tensor& value) {
    const auto index = static_cast<size_t>(id);
    const Node& node = graphs[static_cast<size_t>(rank)].nodes[index];
    Noise here = noise;
    if (!rounds[static_cast<size_t>(rank)][index]) here.relative = 0;
    if (const OperatorFacts* facts = noise.kernels ? facts_of(node) : nullptr)
      here.relative = std::max(here.relative, facts->kernel_error);
    const at::Tensor result = here.relative > 0 ? noisy_result(id, output, value, here) : value;
    if (result.nbytes() < (wanted ? kManyOfWanted : kManyBytes) || output >= node.outputs.size())
      return result;
    const TensorId kept = node.outputs[output];
    const bool keeps = kept != kNone && is_wanted(rank, kept) && !is_view_of_kept(rank, node);
    return keeps ? assay::kept(result) : result;
  };
  return interpret(graphs, groups, inputs, filter, wanted, declared, seen);
}

}  // namespace assay
