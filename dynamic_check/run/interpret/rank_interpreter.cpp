#include "dynamic_check/run/interpret/rank_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamic_check/run/interpret/awaited.h"
#include "dynamic_check/run/interpret/collective_node.h"

namespace assay {

RankInterpreter::RankInterpreter(const Graph& graph, StagedValues values, Kernel kernel,
                                 const DeclaredOperators* declared, Made made)
    : graph_(graph),
      values_(std::move(values)),
      kernel_(std::move(kernel)),
      declared_(declared),
      made_(std::move(made)),
      awaited_before_(awaited_before(graph, declared)) {}

RankInterpreter::Stop RankInterpreter::advance() {
  for (; static_cast<size_t>(next_) < graph_.nodes.size(); ++next_) {
    if (awaits() != kNone) return Stop::kAwaits;
    if (collective_of(graph_.nodes[static_cast<size_t>(next_)], declared_))
      return Stop::kCollective;
    store(next_,
          kernel_(next_, [this](TensorId id) { return value(id); }, values_.device_of(next_)));
  }
  return Stop::kEnd;
}

NodeId RankInterpreter::awaits() const {
  const auto found = std::ranges::find_if(begun_, [&](NodeId collective) {
    return awaited_before_[static_cast<size_t>(collective)] <= next_;
  });
  return found == begun_.end() ? kNone : *found;
}

at::Tensor RankInterpreter::value(TensorId id) {
  const at::Tensor tensor = values_.read(next_, id);
  if (!tensor.defined()) {
    throw UserError({}, fmt::format("{}: {} has no value", graph_.name,
                                    graph_.tensors[static_cast<size_t>(id)].name));
  }
  return tensor;
}

at::Tensor RankInterpreter::offer(TensorId id) {
  const at::Tensor tensor = value(id);
  // Others may still hold it when this rank writes into it.
  return graph_.functional ? tensor : tensor.clone();
}

void RankInterpreter::begin() { begun_.insert(next_++); }

void RankInterpreter::complete(NodeId collective, const std::vector<at::Tensor>& results) {
  begun_.erase(collective);
  store(collective, results);
  if (made_) make_again(collective, results);
}

// Views of memory in flight have their values once it has arrived.
void RankInterpreter::make_again(NodeId collective, const std::vector<at::Tensor>& results) {
  for (NodeId node = collective + 1; node < next_; ++node) {
    for (const TensorId id : graph_.nodes[static_cast<size_t>(node)].outputs) {
      if (id == kNone || !values_.has(node, id)) continue;
      const at::Tensor view = values_.read(node, id);
      if (std::ranges::any_of(results, [&](const at::Tensor& result) {
            return view.defined() && result.defined() && view.is_alias_of(result);
          }))
        made_(id, view);
    }
  }
}

void RankInterpreter::store(NodeId of, const std::vector<at::Tensor>& outputs) {
  const Node& node = graph_.nodes[static_cast<size_t>(of)];
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId id = node.outputs[i];
    if (id == kNone || values_.has(of, id)) continue;
    if (i >= outputs.size()) {
      throw UserError(node.source, fmt::format("{}: {} has {} outputs, output {} is used",
                                               graph_.name, node.op, outputs.size(), i));
    }
    if (!outputs[i].defined()) continue;
    if (made_) made_(id, outputs[i]);
    values_.write(of, id, outputs[i]);
  }
  values_.drop_after(of);
}

}  // namespace assay
