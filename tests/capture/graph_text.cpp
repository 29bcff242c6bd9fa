#include "tests/capture/graph_text.h"

namespace assay::test {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string name(const Graph& graph, TensorId id) {
  return id == kNone ? "_" : graph.tensors[static_cast<size_t>(id)].name;
}

struct ArgText {
  const Graph& graph;
  std::string operator()(NoArg) const { return "none"; }
  std::string operator()(TensorArg tensor) const { return name(graph, tensor.id); }
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
  }
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return "'" + text + "'"; }
  std::string operator()(DType dtype) const { return std::string(assay::to_string(dtype)); }
  std::string operator()(const ArgList& list) const {
    std::vector<std::string> parts;
    for (const Arg& arg : list) parts.push_back(std::visit(*this, arg.value));
    return "[" + join(parts) + "]";
  }
};

std::string shape(const Graph& graph, TensorId id) {
  if (id == kNone) return "";
  std::vector<std::string> sizes;
  for (const int64_t size : graph.tensors[static_cast<size_t>(id)].shape) {
    sizes.push_back(std::to_string(size));
  }
  return "[" + join(sizes) + "]";
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    std::vector<std::string> outputs;
    for (const TensorId id : node.outputs) outputs.push_back(name(graph, id) + shape(graph, id));
    std::vector<std::string> args;
    for (const Arg& arg : node.args) args.push_back(std::visit(ArgText{graph}, arg.value));
    for (const auto& [key, arg] : node.kwargs) {
      args.push_back(key + "=" + std::visit(ArgText{graph}, arg.value));
    }
    text += join(outputs) + " = " + node.op + "(" + join(args) + ")\n";
  }
  return text;
}

std::string operator_list(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) text += node.op + "\n";
  return text;
}

const Node& producer(const Graph& graph, const std::string& tensor) {
  const TensorId id = graph.find(tensor);
  if (id == kNone) throw UserError({}, "no tensor " + tensor + " in\n" + to_text(graph));
  return graph.nodes.at(static_cast<size_t>(graph.tensors[static_cast<size_t>(id)].producer));
}

}  // namespace assay::test
