#include <algorithm>
#include <set>

#include "tests/differential/program.h"

namespace assay::test {
namespace {

// The program without a node whose results nobody needs; tensors keep their numbers.
bool without_node(DrawnProgram& program, size_t left_out) {
  Graph& graph = program.graph;
  const std::vector<TensorId>& made = graph.nodes[left_out].outputs;
  const auto needs = [&](TensorId id) { return std::ranges::find(made, id) != made.end(); };
  if (std::ranges::any_of(graph.outputs, needs)) return false;
  for (const Node& node : graph.nodes)
    if (std::ranges::any_of(operands_of(node), needs)) return false;
  graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(left_out));
  return true;
}

// Tensors numbered anew: those of nodes and inputs that are there.
DrawnProgram compacted(const DrawnProgram& program) {
  DrawnProgram made;
  made.graph.name = program.graph.name;
  std::vector<TensorId> becomes(program.graph.tensors.size(), kNone);
  const auto add = [&](TensorId old, NodeId producer) {
    becomes[index(old)] = static_cast<TensorId>(made.graph.tensors.size());
    Tensor tensor = program.graph.tensors[index(old)];
    tensor.producer = producer;
    made.graph.by_name[tensor.name] = becomes[index(old)];
    made.graph.tensors.push_back(std::move(tensor));
  };
  std::set<TensorId> used(program.graph.outputs.begin(), program.graph.outputs.end());
  for (const Node& node : program.graph.nodes)
    for (const TensorId id : operands_of(node)) used.insert(id);
  for (size_t i = 0; i < program.graph.inputs.size(); ++i) {
    if (!used.contains(program.graph.inputs[i])) continue;
    add(program.graph.inputs[i], kNone);
    made.graph.inputs.push_back(becomes[index(program.graph.inputs[i])]);
    made.values.push_back(program.values[i]);
  }
  for (Node node : program.graph.nodes) {
    for (TensorArg* operand : operands(node)) operand->id = becomes[index(operand->id)];
    for (TensorId& output : node.outputs) {
      add(output, static_cast<NodeId>(made.graph.nodes.size()));
      output = becomes[index(output)];
    }
    made.graph.nodes.push_back(std::move(node));
  }
  for (const TensorId id : program.graph.outputs) made.graph.outputs.push_back(becomes[index(id)]);
  return made;
}

}  // namespace

DrawnProgram shrink(DrawnProgram program,
                    const std::function<bool(const DrawnProgram&)>& property) {
  const auto accept = [&](const DrawnProgram& smaller) {
    const DrawnProgram made = compacted(smaller);
    if (!property(made)) return false;
    program = made;
    return true;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = program.graph.outputs.size(); i-- > 0 && program.graph.outputs.size() > 1;) {
      DrawnProgram smaller = program;
      smaller.graph.outputs.erase(smaller.graph.outputs.begin() + static_cast<std::ptrdiff_t>(i));
      goes_on = accept(smaller) || goes_on;
    }
    for (size_t i = program.graph.nodes.size(); i-- > 0;) {
      DrawnProgram smaller = program;
      if (without_node(smaller, i)) goes_on = accept(smaller) || goes_on;
    }
  }
  return program;
}

}  // namespace assay::test
