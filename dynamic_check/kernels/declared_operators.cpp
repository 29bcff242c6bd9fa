#include "dynamic_check/kernels/declared_operators.h"

#include <fmt/format.h>

#include <map>

#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/lower/node/functional_collective.h"
#include "shared_ir/memory/effects.h"

namespace assay {
namespace {

// The node alone: a graph of its own, whose inputs are its operands, and which tensors of the
// node's graph they are.
struct Alone {
  Graph graph;
  std::vector<TensorId> whole;  // by TensorId of `graph`

  TensorId add(const Graph& from, TensorId id) {
    whole.push_back(id);
    graph.tensors.push_back(from.tensors[static_cast<size_t>(id)]);
    return static_cast<TensorId>(graph.tensors.size()) - 1;
  }
};

void renumber(Arg& arg, const std::map<TensorId, TensorId>& numbers) {
  if (auto* tensor = std::get_if<TensorArg>(&arg.value)) tensor->id = numbers.at(tensor->id);
  if (auto* list = std::get_if<ArgList>(&arg.value))
    for (Arg& element : *list) renumber(element, numbers);
}

Alone alone(const Graph& graph, const Node& node, const std::vector<TensorId>& written) {
  Alone result;
  result.graph.name = graph.name;
  result.graph.functional = graph.functional;
  std::map<TensorId, TensorId> numbers;
  for (const TensorId id : operands_of(node)) {
    numbers[id] = result.add(graph, id);
    Tensor& operand = result.graph.tensors.back();
    operand.producer = kNone;
    operand.output = 0;
    result.graph.inputs.push_back(numbers[id]);
  }
  Node own = node;
  for (Arg& arg : own.args) renumber(arg, numbers);
  for (auto& [name, arg] : own.kwargs) renumber(arg, numbers);
  for (TensorId& output : own.outputs) {
    if (output == kNone) continue;
    output = result.add(graph, output);
    result.graph.tensors.back().producer = 0;
    result.graph.outputs.push_back(output);
  }
  result.graph.nodes.push_back(std::move(own));
  // What it writes, under names of their own.
  for (const TensorId id : written) {
    Node alias;
    alias.op = "aten.alias.default";
    alias.args = {{TensorArg{numbers.at(id)}}};
    alias.outputs = {result.add(graph, id)};
    Tensor& after = result.graph.tensors.back();
    after.name += ".written";
    after.producer = static_cast<NodeId>(result.graph.nodes.size());
    after.output = 0;
    result.graph.outputs.push_back(alias.outputs[0]);
    result.graph.nodes.push_back(std::move(alias));
  }
  return result;
}

}  // namespace

DeclaredOperators::DeclaredOperators(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return;
  table_ = OperatorTable::with_files(files);
  builtin_ = OperatorTable::builtin();
}

const OperatorDeclaration* DeclaredOperators::find(const Node& node) const {
  return table_ && !builtin_->find(node.op) ? table_->find(node.op) : nullptr;
}

bool DeclaredOperators::communicates(const Node& node) const {
  const OperatorDeclaration* declaration = find(node);
  return declaration && declaration->communicates;
}

std::optional<Node> DeclaredOperators::as_collective(const Node& node) const {
  const OperatorDeclaration* declaration = find(node);
  return declaration ? lowering::functional_collective(*declaration, node) : std::nullopt;
}

std::vector<at::Tensor> DeclaredOperators::run(const Graph& graph, const Node& node,
                                               const TensorLookup& value,
                                               const InnerRounding& rounding) const {
  const std::vector<TensorId> written =
      memory::written_by(graph, node, memory::schema_of(node.op, find(node)));
  const Alone single = alone(graph, node, written);
  const CoreProgram program = lower(single.graph, {}, 0, *table_);
  if (!has_value(program))
    throw UserError(node.source,
                    fmt::format("{}: the declaration of {} cannot be evaluated: it is random, or "
                                "names a function that has no numeric definition",
                                graph.name, node.op));
  std::vector<CoreId> wanted;
  for (const TensorId output : single.graph.outputs)
    wanted.push_back(program.value_of[static_cast<size_t>(output)]);
  const std::vector<at::Tensor> values = evaluate_declared(
      program, wanted, [&](TensorId id) { return value(single.whole[static_cast<size_t>(id)]); },
      rounding);
  std::vector<TensorId> made = node.outputs;
  made.insert(made.end(), written.begin(), written.end());
  std::vector<at::Tensor> outputs;
  size_t next = 0;
  for (const TensorId output : made) {
    if (output == kNone) {
      outputs.emplace_back();
      continue;
    }
    const DType dtype = graph.tensors[static_cast<size_t>(output)].dtype;
    const at::Tensor& result = values[next++];
    outputs.push_back(is_floating(dtype) ? result : result.to(to_scalar_type(dtype)));
  }
  return outputs;
}

int64_t DeclaredOperators::longest_sum(const Graph& graph, const Node& node) const {
  return assay::longest_sum(lower(alone(graph, node, {}).graph, {}, 0, *table_));
}

}  // namespace assay
