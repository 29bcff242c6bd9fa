#include <algorithm>
#include <string_view>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/run/interpret/collective_node.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Linear in each tensor operand alone.
constexpr std::string_view kLinear[] = {
    "aten.mm.default",
    "aten.bmm.default",
    "aten.mul.Tensor",
    "aten.view.default",
    "aten.transpose.int",
    "aten.t.default",
    "aten.permute.default",
    "aten.sum.dim_IntList",
    "aten.slice.Tensor",
    "aten.embedding_dense_backward.default",
    "_c10d_functional.all_reduce.default",
    "_c10d_functional.all_gather_into_tensor.default",
    "_c10d_functional.reduce_scatter_tensor.default",
    "hlo.dot",
    "hlo.transpose",
    "hlo.reshape",
    "hlo.broadcast",
};

}  // namespace

void add_scaling_rewrites(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  if (std::ranges::find(kLinear, of.op) == std::end(kLinear) || of.outputs.size() != 1 ||
      of.outputs.front() == kNone)
    return;
  const auto collective = collective_of(of);
  if (collective && collective->reduction != "" && collective->reduction != "sum") return;
  const std::vector<TensorId> operands = tensor_arguments(of);
  for (const TensorId operand : operands) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(operand)];
    if (!is_floating(tensor.dtype) || std::ranges::count(operands, operand) != 1) continue;
    edits.push_back(
        {MutationKind::kMoveScaling,
         describe(graph, node, tensor.name + " times 2 before, times 1/2 after"),
         [node, operand](Case& rewritten, Rank rank) {
           Graph& of_rank = graph_of(rewritten, rank);
           const Tensor before = of_rank.tensors[static_cast<size_t>(operand)];
           const TensorId twice =
               insert_call(of_rank, node, "aten.mul.Scalar", arguments(TensorArg{operand}, 2.0),
                           before.shape, before.dtype);
           Node call = node_of(of_rank, node + 1);
           const Tensor after = of_rank.tensors[static_cast<size_t>(call.outputs.front())];
           replace_operand(call, operand, twice);
           const TensorId made = insert_call(of_rank, node + 1, call, after.shape, after.dtype);
           replace_call(of_rank, node + 2, "aten.mul.Scalar", arguments(TensorArg{made}, 0.5));
         },
         collective.has_value()});
  }
}

}  // namespace assay::test
