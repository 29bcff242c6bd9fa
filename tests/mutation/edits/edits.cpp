#include "tests/mutation/edits/edits.h"

#include <algorithm>
#include <utility>

namespace assay::test {
namespace {

template <typename AnyArg, typename Leaves>
void collect(AnyArg& arg, Leaves& found) {
  if (auto* list = std::get_if<ArgList>(&arg.value)) {
    for (auto& element : *list) collect(element, found);
  } else {
    found.push_back(&arg);
  }
}

template <typename AnyNode, typename Leaves>
void collect_all(AnyNode& node, Leaves& found) {
  for (auto& arg : node.args) collect(arg, found);
  for (auto& [name, arg] : node.kwargs) collect(arg, found);
}

void renumber_producers(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const TensorId output : graph.nodes[i].outputs) {
      if (output != kNone)
        graph.tensors[static_cast<size_t>(output)].producer = static_cast<NodeId>(i);
    }
  }
}

}  // namespace

std::string describe(const Graph& graph, NodeId node, const std::string& change) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  std::string name;
  for (const TensorId output : of.outputs) {
    if (output != kNone)
      name += (name.empty() ? "" : ", ") + graph.tensors[static_cast<size_t>(output)].name;
  }
  return name + " = " + of.op + ": " + change;
}

std::vector<Arg*> leaves(Node& node) {
  std::vector<Arg*> found;
  collect_all(node, found);
  return found;
}

std::vector<const Arg*> leaves(const Node& node) {
  std::vector<const Arg*> found;
  collect_all(node, found);
  return found;
}

size_t leaf_count(const Node& node) { return leaves(node).size(); }

bool same_type(const Graph& graph, TensorId a, TensorId b) {
  const Tensor& x = graph.tensors[static_cast<size_t>(a)];
  const Tensor& y = graph.tensors[static_cast<size_t>(b)];
  return x.dtype == y.dtype && x.shape == y.shape;
}

bool is_ready(const Graph& graph, TensorId tensor, NodeId node) {
  return graph.tensors[static_cast<size_t>(tensor)].producer < node;
}

Graph& graph_of(Case& refinement, Rank rank) { return refinement.ranks[static_cast<size_t>(rank)]; }

Node& node_of(Graph& graph, NodeId node) { return graph.nodes[static_cast<size_t>(node)]; }

TensorId insert_call(Graph& graph, NodeId before, Node call, Shape shape, DType dtype) {
  const auto id = static_cast<TensorId>(graph.tensors.size());
  Tensor tensor;
  tensor.name = "inserted_" + std::to_string(id);
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  graph.by_name[tensor.name] = id;
  graph.tensors.push_back(std::move(tensor));
  call.outputs = {id};
  // What was waited for before that node is there for this one, which is done when it is called.
  call.work = kNone;
  if (static_cast<size_t>(before) < graph.nodes.size()) call.awaits = node_of(graph, before).awaits;
  graph.nodes.insert(graph.nodes.begin() + before, std::move(call));
  renumber_producers(graph);
  return id;
}

TensorId insert_call(Graph& graph, NodeId before, const std::string& op, std::vector<Arg> args,
                     Shape shape, DType dtype) {
  Node call;
  call.op = op;
  call.args = std::move(args);
  call.source = node_of(graph, before).source;
  return insert_call(graph, before, std::move(call), std::move(shape), dtype);
}

void replace_call(Graph& graph, NodeId node, const std::string& op, std::vector<Arg> args) {
  Node& of = node_of(graph, node);
  of.op = op;
  of.args = std::move(args);
  of.kwargs.clear();
  of.work = kNone;
}

void replace_operand(Node& node, TensorId from, TensorId to) {
  for (Arg* arg : leaves(node)) {
    const auto* tensor = std::get_if<TensorArg>(&arg->value);
    if (tensor && tensor->id == from) arg->value = TensorArg{to};
  }
}

void move_node(Graph& graph, NodeId from, NodeId to) {
  std::rotate(graph.nodes.begin() + to, graph.nodes.begin() + from, graph.nodes.begin() + from + 1);
  renumber_producers(graph);
}

void leave_out(Graph& graph, NodeId node, size_t output, TensorId operand) {
  Node& of = node_of(graph, node);
  Node copy;
  copy.op = "aten.clone.default";
  copy.args = {Arg{TensorArg{operand}}};
  copy.source = of.source;
  copy.outputs = {std::exchange(of.outputs[output], kNone)};
  graph.tensors[static_cast<size_t>(copy.outputs.front())].output = 0;
  const bool unused = std::ranges::all_of(of.outputs, [](TensorId id) { return id == kNone; });
  if (unused) {
    of = std::move(copy);
  } else {
    graph.nodes.insert(graph.nodes.begin() + node + 1, std::move(copy));
  }
  renumber_producers(graph);
}

}  // namespace assay::test
