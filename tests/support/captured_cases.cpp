#include "tests/support/captured_cases.h"

#include "tests/support/captured_graphs.h"

namespace assay::test {
namespace {

void replace(int64_t& value, const Sizes& sizes) {
  if (const auto found = sizes.find(value); found != sizes.end()) value = found->second;
}

void replace(Arg& arg, const Sizes& sizes) {
  if (auto* integer = std::get_if<int64_t>(&arg.value)) replace(*integer, sizes);
  if (auto* list = std::get_if<ArgList>(&arg.value)) {
    for (Arg& item : *list) replace(item, sizes);
  }
}

void replace(Graph& graph, const Sizes& sizes) {
  for (Tensor& tensor : graph.tensors) {
    for (int64_t& size : tensor.shape) replace(size, sizes);
  }
  for (Node& node : graph.nodes) {
    for (Arg& arg : node.args) replace(arg, sizes);
    for (auto& [name, arg] : node.kwargs) replace(arg, sizes);
  }
}

/// Later uses of the tensor read its sum over the group.
void insert_all_reduce(Graph& graph, const std::string& tensor, const std::string& group) {
  const TensorId id = graph.find(tensor);
  const Tensor summand = graph.tensors[static_cast<size_t>(id)];
  const NodeId at = summand.producer + 1;
  const auto sum = static_cast<TensorId>(graph.tensors.size());
  for (auto node = graph.nodes.begin() + at; node != graph.nodes.end(); ++node) {
    for (Arg& arg : node->args) {
      if (auto* used = std::get_if<TensorArg>(&arg.value); used && used->id == id) used->id = sum;
    }
  }
  for (Tensor& other : graph.tensors) {
    if (other.producer >= at) ++other.producer;
  }
  Node node;
  node.op = "_c10d_functional.all_reduce.default";
  node.args = {{TensorArg{id}}, {std::string("sum")}, {group}};
  node.outputs = {sum};
  graph.nodes.insert(graph.nodes.begin() + at, std::move(node));
  graph.tensors.push_back({tensor + "_sum", summand.dtype, summand.shape, at, 0});
  graph.by_name.emplace(tensor + "_sum", sum);
}

}  // namespace

void replace_sizes(Case& refinement, const Sizes& sizes) {
  replace(refinement.sequential, sizes);
  for (Graph& rank : refinement.ranks) replace(rank, sizes);
  validate(refinement);
}

Case mended_backward() {
  Case refinement = load_case(captured_graphs() / "bug7-missing-dgrad-allreduce");
  for (Graph& rank : refinement.ranks) insert_all_reduce(rank, "_unsafe_view_11", "12");
  for (Relation& relation : refinement.inputs) {
    for (const char* gradient : {"tangents_9", "tangents_10", "tangents_11", "tangents_12"}) {
      if (relation.tensor != gradient) continue;
      const std::string name = gradient;
      relation.replicas = {parse_clean_expr("sum(" + name + "@0, " + name + "@1)", {})};
    }
  }
  validate(refinement);
  return refinement;
}

}  // namespace assay::test
