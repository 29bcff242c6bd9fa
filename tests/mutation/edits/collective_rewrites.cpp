#include <utility>

#include "dynamic_check/run/interpret/collective_node.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

using Kind = CollectiveNode::Kind;

const Tensor& tensor_of(const Graph& graph, TensorId id) {
  return graph.tensors[static_cast<size_t>(id)];
}

// The collective on the two halves of `dim`, joined again.
void split_in_halves(Graph& graph, NodeId node, TensorId input, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  const Node original = node_of(graph, node);
  const Tensor whole = tensor_of(graph, input);
  const Tensor result = tensor_of(graph, original.outputs.front());
  const int64_t size = whole.shape[d], middle = size / 2;
  std::vector<Arg> pieces;
  for (const auto& [start, end] : {std::pair{int64_t{0}, middle}, std::pair{middle, size}}) {
    Shape part = whole.shape, made = result.shape;
    part[d] = end - start;
    made[d] = result.shape[d] / size * (end - start);
    const TensorId slice =
        insert_call(graph, node, "aten.slice.Tensor", arguments(TensorArg{input}, dim, start, end),
                    part, whole.dtype);
    Node call = original;
    replace_operand(call, input, slice);
    pieces.emplace_back().value = TensorArg{insert_call(graph, node + 1, call, made, result.dtype)};
    node += 2;
  }
  replace_call(graph, node, "aten.cat.default", arguments(pieces, dim));
}

// Each rank sums its piece of the first dimension, then all get all pieces.
void scatter_and_gather(Graph& graph, NodeId node, int64_t ranks) {
  const CollectiveNode call = collective_of(node_of(graph, node)).value();
  const Tensor whole = tensor_of(graph, call.input);
  Shape piece = whole.shape;
  piece[0] /= ranks;
  const TensorId sums = insert_call(
      graph, node, "_c10d_functional.reduce_scatter_tensor.default",
      arguments(TensorArg{call.input}, call.reduction, ranks, call.group), piece, whole.dtype);
  replace_call(graph, node + 1, "_c10d_functional.all_gather_into_tensor.default",
               arguments(TensorArg{sums}, ranks, call.group));
}

}  // namespace

void add_collective_rewrites(const Case& refinement, Rank rank, NodeId node,
                             std::vector<Edit>& edits) {
  const Graph& graph = refinement.ranks[static_cast<size_t>(rank)];
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  const auto call = collective_of(of);
  if (!call || !call->memory.empty() || of.outputs.size() != 1 || of.outputs.front() == kNone)
    return;
  if (call->kind != Kind::kAllReduce && call->kind != Kind::kAllGather &&
      call->kind != Kind::kReduceScatter)
    return;
  const Shape& shape = tensor_of(graph, call->input).shape;
  const auto add = [&](const std::string& change, std::function<void(Case&, Rank)> apply) {
    edits.push_back(
        {MutationKind::kSplitCollective, describe(graph, node, change), std::move(apply), true});
  };
  // The first dimension of the others is the ranks' own.
  for (size_t d = call->kind == Kind::kAllReduce ? 0 : 1; d < shape.size(); ++d) {
    if (shape[d] < 2) continue;
    const auto dim = static_cast<int64_t>(d);
    add("in two halves of dimension " + std::to_string(d),
        [node, input = call->input, dim](Case& rewritten, Rank at) {
          split_in_halves(graph_of(rewritten, at), node, input, dim);
        });
  }
  const auto ranks = static_cast<int64_t>(refinement.distributed_groups.at(call->group).size());
  if (call->kind != Kind::kAllReduce || shape.empty() || shape[0] % ranks != 0 || shape[0] == 0)
    return;
  add("as reduce-scatter and all-gather", [node, ranks](Case& rewritten, Rank at) {
    scatter_and_gather(graph_of(rewritten, at), node, ranks);
  });
}

}  // namespace assay::test
