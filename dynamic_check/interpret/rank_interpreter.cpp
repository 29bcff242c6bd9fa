#include "dynamic_check/interpret/rank_interpreter.h"

#include <fmt/format.h>

#include <utility>

#include "dynamic_check/interpret/collective_node.h"

namespace assay {

RankInterpreter::RankInterpreter(const Graph& graph, StagedValues values, Kernel kernel,
                                 const DeclaredOperators* declared, Made made)
    : graph_(graph),
      values_(std::move(values)),
      kernel_(std::move(kernel)),
      declared_(declared),
      made_(std::move(made)) {}

const Node* RankInterpreter::advance() {
  for (; static_cast<size_t>(next_) < graph_.nodes.size(); ++next_) {
    const Node& node = graph_.nodes[static_cast<size_t>(next_)];
    if (collective_of(node, declared_)) return &node;
    store(kernel_(next_, [this](TensorId id) { return value(id); }, values_.device_of(next_)));
  }
  return nullptr;
}

at::Tensor RankInterpreter::value(TensorId id) {
  const at::Tensor tensor = values_.read(next_, id);
  if (!tensor.defined()) {
    throw UserError({}, fmt::format("{}: {} has no value", graph_.name,
                                    graph_.tensors[static_cast<size_t>(id)].name));
  }
  return tensor;
}

void RankInterpreter::complete(const std::vector<at::Tensor>& results) {
  store(results);
  ++next_;
}

void RankInterpreter::store(const std::vector<at::Tensor>& outputs) {
  const Node& node = graph_.nodes[static_cast<size_t>(next_)];
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId id = node.outputs[i];
    if (id == kNone || values_.has(next_, id)) continue;
    if (i >= outputs.size()) {
      throw UserError(node.source, fmt::format("{}: {} has {} outputs, output {} is used",
                                               graph_.name, node.op, outputs.size(), i));
    }
    if (!outputs[i].defined()) continue;
    if (made_) made_(id, outputs[i]);
    values_.write(next_, id, outputs[i]);
  }
  values_.drop_after(next_);
}

}  // namespace assay
