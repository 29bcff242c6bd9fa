#include "dynamic_check/relate/target_values.h"

#include <fmt/format.h>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/relate/clean_eval.h"
#include "shared_ir/base/error.h"

namespace assay {

TargetValues::TargetValues(const Graph& sequential, const Targets& targets, Told told,
                           at::Device device)
    : told_(std::move(told)), device_(device) {
  for (size_t target = 0; target < targets.list.size(); ++target) {
    const CleanExpr& value = targets.list[target].sequential;
    if (value.kind == CleanExpr::Kind::kTensor) {
      const TensorId id = sequential.find(value.name);
      plain_[id].push_back(target);
      missing_[id] = value.name;
      continue;
    }
    Expression expression{target, value, {}};
    for (const auto& [name, rank] : leaves_of(value)) {
      const TensorId id = sequential.find(name);
      expression.leaves[name] = id;
      leaves_.try_emplace(id);
      missing_[id] = name;
    }
    expressions_.push_back(std::move(expression));
  }
}

void TargetValues::see(TensorId id, const at::Tensor& tensor) {
  if (missing_.erase(id) == 0) return;
  const at::Tensor value = tensor.to(device_);
  if (const auto plain = plain_.find(id); plain != plain_.end())
    for (const size_t target : plain->second) told_(target, value);
  if (const auto leaf = leaves_.find(id); leaf != leaves_.end()) leaf->second = kept_copy(value);
}

void TargetValues::see_outputs(const Node& node, std::span<const at::Tensor> outputs) {
  for (size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i)
    if (node.outputs[i] != kNone && outputs[i].defined()) see(node.outputs[i], outputs[i]);
}

void TargetValues::finish() {
  if (!missing_.empty()) {
    throw UserError(
        {}, fmt::format("the sequential run gave no value for {}", missing_.begin()->second));
  }
  for (const Expression& expression : expressions_) {
    told_(expression.target, evaluate(expression.value, [&](const RankTensorName& name) {
            return leaves_.at(expression.leaves.at(name.first));
          }));
  }
}

}  // namespace assay
