#include <string_view>
#include <utility>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/run/interpret/collective_node.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Operators of one signature, of which one is easily written for the other.
constexpr std::pair<std::string_view, std::string_view> kNeighbours[] = {
    {"aten.ge.Scalar", "aten.gt.Scalar"},
    {"aten.ge.Scalar", "aten.lt.Scalar"},
    {"aten.lt.Scalar", "aten.le.Scalar"},
    {"aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor"},
    {"aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor"},
    {"aten.add.Tensor", "aten.sub.Tensor"},
    {"aten.add.Tensor", "aten.mul.Tensor"},
    {"aten.mul.Tensor", "aten.div.Tensor"},
    {"aten.mul.Scalar", "aten.div.Scalar"},
    {"aten.sub.Scalar", "aten.add.Scalar"},
    {"aten.amax.default", "aten.amin.default"},
    {"aten.sum.dim_IntList", "aten.mean.dim"},
    {"aten.exp.default", "aten.log.default"},
};

void add_neighbour(const Graph& graph, NodeId node, std::string_view op, std::vector<Edit>& edits) {
  edits.push_back(
      {MutationKind::kOperator, describe(graph, node, "is " + std::string(op)),
       [=](Case& mutant, Rank rank) { node_of(graph_of(mutant, rank), node).op = op; }});
}

}  // namespace

void add_operator_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  for (const auto& [op, neighbour] : kNeighbours) {
    if (of.op == op) add_neighbour(graph, node, neighbour, edits);
    if (of.op == neighbour) add_neighbour(graph, node, op, edits);
  }
  const MutationKind kind = collective_of(of) ? MutationKind::kCollective : MutationKind::kOperator;
  for (size_t output = 0; output < of.outputs.size(); ++output) {
    if (of.outputs[output] == kNone) continue;
    for (const TensorId operand : tensor_arguments(of)) {
      if (!same_type(graph, of.outputs[output], operand)) continue;
      edits.push_back({kind,
                       describe(graph, node,
                                "left out, " + graph.tensors[static_cast<size_t>(operand)].name +
                                    " in its place"),
                       [=](Case& mutant, Rank rank) {
                         leave_out(graph_of(mutant, rank), node, output, operand);
                       }});
    }
  }
}

}  // namespace assay::test
