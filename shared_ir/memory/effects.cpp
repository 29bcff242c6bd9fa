#include "shared_ir/memory/effects.h"

#include <algorithm>

namespace assay::memory {
namespace {

bool writes(const Graph& graph, const Node& node, const OperatorSchema& schema,
            const SchemaParameter& parameter) {
  if (!parameter.written) return false;
  // PyTorch's own schema does not say this, so that what makes graphs functional leaves it.
  if (parameter.unless_false.empty()) return !was_made_functional(graph, node);
  const Arg* flag = argument(node, schema, parameter.unless_false);
  const bool* set = flag ? std::get_if<bool>(&flag->value) : nullptr;
  return set == nullptr || *set;
}

// "aten.add" of "aten.add.out".
std::string_view without_overload(std::string_view op) {
  return op.substr(0, op.find('.', op.find('.') + 1));
}

const SchemaParameter* find(const OperatorSchema& schema, std::string_view name) {
  const auto found =
      std::find_if(schema.parameters.begin(), schema.parameters.end(),
                   [&](const SchemaParameter& parameter) { return parameter.name == name; });
  return found == schema.parameters.end() ? nullptr : &*found;
}

}  // namespace

const Arg* argument(const Node& node, const OperatorSchema& schema, std::string_view name) {
  for (size_t i = 0; i < std::min(node.args.size(), schema.parameters.size()); ++i)
    if (schema.parameters[i].name == name) return &node.args[i];
  for (const auto& [keyword, arg] : node.kwargs)
    if (keyword == name) return &arg;
  return nullptr;
}

std::vector<TensorId> tensors_of(const Arg* arg) {
  std::vector<TensorId> tensors;
  if (arg != nullptr) collect_tensors(*arg, tensors);
  return tensors;
}

std::vector<TensorId> written_by(const Graph& graph, const Node& node,
                                 const OperatorSchema& schema) {
  std::vector<TensorId> written;
  for (const SchemaParameter& parameter : schema.parameters) {
    if (!writes(graph, node, schema, parameter)) continue;
    for (const TensorId tensor : tensors_of(argument(node, schema, parameter.name)))
      written.push_back(tensor);
  }
  return written;
}

std::vector<TensorId> only_read_by(const Node& node, const OperatorSchema& schema) {
  std::vector<TensorId> tensors;
  for (size_t i = 0; i < node.args.size(); ++i)
    if (i >= schema.parameters.size() || !schema.parameters[i].written)
      collect_tensors(node.args[i], tensors);
  for (const auto& [keyword, arg] : node.kwargs) {
    const SchemaParameter* parameter = find(schema, keyword);
    if (parameter == nullptr || !parameter->written) collect_tensors(arg, tensors);
  }
  return tensors;
}

bool is_unknown(const Graph& graph, const Node& node, const OperatorSchema& schema) {
  return !schema.known && !was_made_functional(graph, node);
}

Node functional_call(const Node& node, const OperatorSchema& schema) {
  Node call = node;
  call.op = schema.functional;
  // "aten.add.out" is an overload of the operator that returns, and "all_reduce_out" has its name;
  // "aten.add_" takes what it writes.
  const std::string_view name = without_overload(node.op);
  if (name != without_overload(call.op) && !name.ends_with("_out")) return call;
  std::erase_if(call.kwargs, [&](const auto& keyword) {
    const SchemaParameter* parameter = find(schema, keyword.first);
    return parameter != nullptr && parameter->written && parameter->unless_false.empty();
  });
  return call;
}

}  // namespace assay::memory
