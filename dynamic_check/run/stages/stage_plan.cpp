#include "dynamic_check/run/stages/stage_plan.h"

#include <utility>

namespace assay {

StagePlan plan_of(const Graph& graph, std::vector<int32_t> stage_of, int32_t stages,
                  const std::function<bool(TensorId)>& kept) {
  StagePlan plan{std::move(stage_of), {}, stages};
  plan.last_uses.resize(graph.nodes.size());
  std::vector<int32_t> home(graph.tensors.size(), kNone);
  std::vector<std::vector<NodeId>> last(static_cast<size_t>(stages),
                                        std::vector<NodeId>(graph.tensors.size(), kNone));
  const auto last_use = [&](int32_t stage, TensorId id) -> NodeId& {
    return last[static_cast<size_t>(stage)][static_cast<size_t>(id)];
  };
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    const auto here = static_cast<NodeId>(index);
    const int32_t stage = plan.stage_of[index];
    for (const TensorId id : operands_of(node)) {
      int32_t& made = home[static_cast<size_t>(id)];
      if (made == kNone) made = stage;
      if (last_use(stage, id) == kNone) last_use(made, id) = here;
      last_use(stage, id) = here;
    }
    for (const TensorId id : node.outputs) {
      if (id == kNone) continue;
      home[static_cast<size_t>(id)] = stage;
      last_use(stage, id) = here;
    }
  }
  for (int32_t stage = 0; stage < stages; ++stage) {
    for (size_t index = 0; index < graph.tensors.size(); ++index) {
      const auto id = static_cast<TensorId>(index);
      const NodeId node = last_use(stage, id);
      if (node != kNone && !(kept && kept(id)))
        plan.last_uses[static_cast<size_t>(node)].push_back({stage, id});
    }
  }
  return plan;
}

}  // namespace assay
