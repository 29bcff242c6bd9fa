#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Commutative and associative, without further arguments.
constexpr std::string_view kOperators[] = {"aten.add.Tensor", "aten.mul.Tensor", "hlo.add",
                                           "hlo.multiply"};

// Both operands, where the node is one of the operators on two tensors of floats and nothing else;
// else kNone twice.
std::pair<TensorId, TensorId> operands_of(const Graph& graph, NodeId node) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  if (std::ranges::find(kOperators, of.op) == std::end(kOperators) || !of.kwargs.empty() ||
      of.args.size() != 2)
    return {kNone, kNone};
  const auto* left = std::get_if<TensorArg>(&of.args[0].value);
  const auto* right = std::get_if<TensorArg>(&of.args[1].value);
  if (!left || !right || !is_floating(graph.tensors[static_cast<size_t>(left->id)].dtype) ||
      !is_floating(graph.tensors[static_cast<size_t>(right->id)].dtype))
    return {kNone, kNone};
  return {left->id, right->id};
}

// What an operation on these two makes: the larger of each two sizes, of which one may be 1.
// nullopt where they do not fit, or are of different dtypes. HLO's operators do not broadcast.
std::optional<Shape> shape_of(const Graph& graph, const std::string& op, TensorId a, TensorId b) {
  if (same_type(graph, a, b)) return graph.tensors[static_cast<size_t>(a)].shape;
  const Tensor& x = graph.tensors[static_cast<size_t>(a)];
  const Tensor& y = graph.tensors[static_cast<size_t>(b)];
  if (op.starts_with("hlo.") || x.dtype != y.dtype) return std::nullopt;
  const bool x_is_longer = x.shape.size() > y.shape.size();
  Shape longer = x_is_longer ? x.shape : y.shape;
  const Shape& shorter = x_is_longer ? y.shape : x.shape;
  for (size_t i = 1; i <= shorter.size(); ++i) {
    int64_t& size = longer[longer.size() - i];
    const int64_t other = shorter[shorter.size() - i];
    if (size != other && size != 1 && other != 1) return std::nullopt;
    if (size == 1) size = other;
  }
  return longer;
}

// (a op b) op c as a op (b op c), where `inner` is a op b.
void add_reassociation(const Graph& graph, NodeId node, TensorId inner, TensorId c,
                       std::vector<Edit>& edits) {
  const NodeId producer = graph.tensors[static_cast<size_t>(inner)].producer;
  if (producer == kNone ||
      graph.nodes[static_cast<size_t>(producer)].op != graph.nodes[static_cast<size_t>(node)].op)
    return;
  const auto [a, b] = operands_of(graph, producer);
  if (a == kNone || graph.tensors[static_cast<size_t>(a)].dtype !=
                        graph.tensors[static_cast<size_t>(inner)].dtype)
    return;
  const std::optional<Shape> shape =
      shape_of(graph, graph.nodes[static_cast<size_t>(node)].op, b, c);
  if (!shape) return;
  const auto name = [&](TensorId id) { return graph.tensors[static_cast<size_t>(id)].name; };
  edits.push_back(
      {MutationKind::kReassociate,
       describe(graph, node, "of " + name(a) + " and of " + name(b) + " with " + name(c)),
       [node, a = a, b = b, c, shape = *shape](Case& rewritten, Rank rank) {
         Graph& of = graph_of(rewritten, rank);
         const std::string op = node_of(of, node).op;
         const TensorId right = insert_call(of, node, op, arguments(TensorArg{b}, TensorArg{c}),
                                            shape, of.tensors[static_cast<size_t>(c)].dtype);
         replace_call(of, node + 1, op, arguments(TensorArg{a}, TensorArg{right}));
       }});
}

}  // namespace

void add_arithmetic_rewrites(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const auto [left, right] = operands_of(graph, node);
  if (left == kNone) return;
  if (left != right) {
    edits.push_back({MutationKind::kCommute, describe(graph, node, "operands change places"),
                     [node](Case& rewritten, Rank rank) {
                       std::vector<Arg>& args = node_of(graph_of(rewritten, rank), node).args;
                       std::swap(args[0], args[1]);
                     }});
  }
  add_reassociation(graph, node, left, right, edits);
  if (left != right) add_reassociation(graph, node, right, left, edits);
}

}  // namespace assay::test
