#include "dynamic_check/run/stages/stage_memory.h"

#include <algorithm>

namespace assay {
namespace {

// One piece of memory in one stage, and how many tensors lie in it.
struct Allocation {
  int64_t bytes;
  int64_t tensors;
};

class StageMemory {
 public:
  explicit StageMemory(size_t tensors) : allocation_of_(tensors, kNone) {}

  bool has(TensorId id) const { return allocation(id) != kNone; }

  void add(TensorId id, int64_t bytes) {
    allocation(id) = static_cast<int32_t>(allocations_.size());
    allocations_.push_back({bytes, 1});
    now_ += bytes;
    peak_ = std::max(peak_, now_);
  }

  void add_view(TensorId id, TensorId of) {
    allocation(id) = allocation(of);
    ++allocations_[static_cast<size_t>(allocation(of))].tensors;
  }

  void drop(TensorId id) {
    Allocation& held = allocations_[static_cast<size_t>(allocation(id))];
    if (--held.tensors == 0) now_ -= held.bytes;
  }

  int64_t peak() const { return peak_; }

 private:
  int32_t& allocation(TensorId id) { return allocation_of_[static_cast<size_t>(id)]; }
  int32_t allocation(TensorId id) const { return allocation_of_[static_cast<size_t>(id)]; }

  std::vector<int32_t> allocation_of_;  // per tensor
  std::vector<Allocation> allocations_;
  int64_t now_ = 0, peak_ = 0;
};

}  // namespace

std::vector<int64_t> peak_bytes(const Graph& graph, const TensorMemory& memory,
                                const StagePlan& plan) {
  std::vector<StageMemory> stages(static_cast<size_t>(plan.stages),
                                  StageMemory(graph.tensors.size()));
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    StageMemory& stage = stages[static_cast<size_t>(plan.stage_of[index])];
    const std::vector<TensorId> operands = operands_of(graph.nodes[index]);
    for (const TensorId id : operands)
      if (!stage.has(id)) stage.add(id, memory.bytes[static_cast<size_t>(id)]);
    for (const TensorId id : graph.nodes[index].outputs) {
      if (id == kNone) continue;
      if (memory.views[index] && !operands.empty())
        stage.add_view(id, operands.front());
      else
        stage.add(id, memory.bytes[static_cast<size_t>(id)]);
    }
    for (const auto& [where, id] : plan.last_uses[index])
      stages[static_cast<size_t>(where)].drop(id);
  }
  std::vector<int64_t> peaks;
  for (const StageMemory& stage : stages) peaks.push_back(stage.peak());
  return peaks;
}

}  // namespace assay
