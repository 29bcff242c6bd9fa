#include "shared_ir/import/hlo/hlo_graph_writer.h"

#include <fmt/format.h>

namespace assay::hlo {

void GraphWriter::add_name(const Instruction& instruction, const std::string& name,
                           TensorId tensor) {
  const auto [at, added] = graph_.by_name.emplace(name, tensor);
  if (!added && at->second != tensor)
    source_.fail(instruction.name, fmt::format("another tensor is named '{}'", name));
}

TensorId GraphWriter::add_tensor(const Instruction& instruction, const std::string& name,
                                 const TypedShape& shape, NodeId producer, int32_t output) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  graph_.tensors.push_back({name, shape.dtype, shape.sizes, producer, output});
  add_name(instruction, name, id);
  return id;
}

Result GraphWriter::add_inputs(const Instruction& parameter, const std::string& name,
                               const TypedShape& shape) {
  Result result;
  if (!shape.is_tuple) {
    result.tensor = add_tensor(parameter, name, shape, kNone, 0);
    graph_.inputs.push_back(result.tensor);
    return result;
  }
  for (size_t i = 0; i < shape.elements.size(); ++i)
    result.elements.push_back(
        add_inputs(parameter, fmt::format("{}:{}", name, i), shape.elements[i]));
  return result;
}

void GraphWriter::add_outputs(const Result& result) {
  if (result.tensor != kNone) graph_.outputs.push_back(result.tensor);
  for (const Result& element : result.elements) add_outputs(element);
}

Node& GraphWriter::add_node(const Instruction& instruction, std::string op) {
  Node& node = graph_.nodes.emplace_back();
  node.op = std::move(op);
  node.source = instruction.source;
  node.module = instruction.scope;
  return node;
}

Result GraphWriter::add_results(const Instruction& instruction, const std::string& name,
                                const TypedShape& shape) {
  Result result;
  if (!shape.is_tuple) {
    Node& node = graph_.nodes.back();
    const auto output = static_cast<int32_t>(node.outputs.size());
    result.tensor =
        add_tensor(instruction, name, shape, static_cast<NodeId>(graph_.nodes.size()) - 1, output);
    node.outputs.push_back(result.tensor);
    return result;
  }
  for (size_t i = 0; i < shape.elements.size(); ++i)
    result.elements.push_back(
        add_results(instruction, fmt::format("{}:{}", name, i), shape.elements[i]));
  return result;
}

Graph GraphWriter::finish() {
  validate(graph_);
  return std::move(graph_);
}

}  // namespace assay::hlo
