#include "dynamic_check/replay/replay_inputs.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <set>
#include <string>

#include "dynamic_check/inputs/generate.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "shared_ir/capture/scalar_type.h"

namespace assay {
namespace {

// Operators that index the rows of their other operand.
bool indexes_rows(const Node& node) {
  static const std::set<std::string_view> kNames{
      "aten.embedding", "aten.index_select", "aten.gather", "_C.rotary_embedding", "hlo.gather"};
  return kNames.contains(operator_name(node));
}

bool compares(const Node& node) {
  static const std::set<std::string_view> kNames{"aten.ge", "aten.gt", "aten.le", "aten.lt"};
  return kNames.contains(operator_name(node));
}

// Rows of the tables that the node looks its integer operands up in.
void collect_table_sizes(const Graph& graph, const Node& node, std::vector<int64_t>& sizes) {
  for (TensorId id : tensor_arguments(node)) {
    const Tensor& table = graph.tensors[static_cast<size_t>(id)];
    if (is_floating(table.dtype) && !table.shape.empty() &&
        operator_name(node) != "_C.rotary_embedding") {
      sizes.push_back(table.shape.front());
    }
  }
  if (operator_name(node) == "_C.rotary_embedding") {
    sizes.push_back(
        graph.tensors[static_cast<size_t>(tensor_arguments(node).back())].shape.front());
  }
}

// Exclusive bound of the ids in an integer input.
int64_t bound_of(const Graph& graph, TensorId input) {
  std::vector<int64_t> tables;
  int64_t largest_constant = 1;
  for (const Node& node : graph.nodes) {
    const std::vector<TensorId> arguments = tensor_arguments(node);
    const bool reads = std::find(arguments.begin(), arguments.end(), input) != arguments.end();
    if (reads && indexes_rows(node)) collect_table_sizes(graph, node, tables);
    if (reads && compares(node)) {
      for (const Arg& arg : node.args) {
        if (const auto* constant = std::get_if<int64_t>(&arg.value)) {
          largest_constant = std::max(largest_constant, *constant);
        }
      }
    }
  }
  return tables.empty() ? largest_constant : *std::min_element(tables.begin(), tables.end());
}

DynamicInput describe(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
  DynamicInput input;
  input.name = tensor.name;
  input.shape = tensor.shape;
  input.dtype = tensor.dtype;
  if (is_integer(tensor.dtype)) {
    input.role = InputRole::kTokenIds;
    input.bound = bound_of(graph, id);
  } else if (is_bool(tensor.dtype)) {
    input.role = InputRole::kMask;
  } else {
    input.role = tensor.shape.size() >= 2 ? InputRole::kWeight : InputRole::kScale;
  }
  return input;
}

at::Tensor make(const Case& refinement, const DynamicInput& input, uint64_t seed, double scale) {
  const at::Tensor value = generate(input, seed, boundary_ids(refinement, input.bound));
  return value.is_floating_point() ? value * scale : value.to(to_scalar_type(input.dtype));
}

}  // namespace

ReplayInputs make_replay_inputs(const Case& refinement, uint64_t seed, double scale) {
  ReplayInputs result;
  std::map<std::string, at::Tensor> whole;
  auto add_whole = [&](TensorId id) {
    const DynamicInput input = describe(refinement.sequential, id);
    whole.try_emplace(input.name, make(refinement, input, seed, scale));
  };
  for (TensorId id : refinement.sequential.inputs) add_whole(id);
  // A relation may speak of a tensor whose value the capture lost.
  for (const Relation& relation : refinement.inputs)
    add_whole(refinement.sequential.find(relation.tensor));
  for (const auto& [name, tensor] : whole) result.sequential[{name, 0}] = tensor;

  result.distributed = parts_of(refinement.inputs, refinement.ranks, whole, seed);
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    const Graph& graph = refinement.ranks[rank];
    for (TensorId id : graph.inputs) {
      DynamicInput input = describe(graph, id);
      const RankTensorName name{input.name, static_cast<Rank>(rank)};
      if (result.distributed.contains(name)) continue;
      input.name = "unrelated " + input.name + "@" + std::to_string(rank);
      result.distributed[name] = make(refinement, input, seed, scale);
    }
  }
  return result;
}

}  // namespace assay
