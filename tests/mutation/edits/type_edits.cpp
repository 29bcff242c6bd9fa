#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Types that lose what the tensor's own holds.
std::vector<DType> narrower(DType dtype) {
  if (is_floating(dtype)) return {DType::kInt64, DType::kBool};
  if (is_bool(dtype)) return {};
  return {DType::kBool};
}

TensorId insert_cast(Graph& graph, NodeId before, TensorId tensor, DType to) {
  Node cast;
  cast.op = "aten._to_copy.default";
  cast.args = arguments(TensorArg{tensor});
  cast.kwargs.emplace_back("dtype", Arg{to});
  cast.source = node_of(graph, before).source;
  const Shape shape = graph.tensors[static_cast<size_t>(tensor)].shape;
  return insert_call(graph, before, std::move(cast), shape, to);
}

}  // namespace

void add_type_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  for (const TensorId operand : operands_of(graph.nodes[static_cast<size_t>(node)])) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(operand)];
    for (const DType by : narrower(tensor.dtype))
      edits.push_back(
          {MutationKind::kType,
           describe(graph, node, tensor.name + " by way of " + std::string(to_string(by))),
           [=, back = tensor.dtype](Case& mutant, Rank rank) {
             Graph& of = graph_of(mutant, rank);
             const TensorId there = insert_cast(of, node, operand, by);
             const TensorId again = insert_cast(of, node + 1, there, back);
             replace_operand(node_of(of, node + 2), operand, again);
           }});
  }
}

}  // namespace assay::test
