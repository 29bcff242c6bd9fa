#include "dynamic_check/run/stages/plan_stages.h"

#include <algorithm>
#include <optional>

#include "dynamic_check/run/stages/forward_positions.h"

namespace assay {
namespace {

// Memory that is taken or given back, at a position.
struct Change {
  int32_t position;
  int64_t bytes;
};

class Cutter {
 public:
  Cutter(const Graph& graph, const TensorMemory& memory, const std::vector<int32_t>& positions)
      : length_(forward_length(graph)) {
    // What happens to the whole graph's memory in one stage happens to a part of it at its
    // position.
    const StagePlan whole = plan_of(graph, std::vector<int32_t>(graph.nodes.size(), 0), 1);
    std::vector<TensorId> storage(graph.tensors.size(), kNone);  // the tensor that has the memory
    std::vector<int32_t> position(graph.tensors.size(), 0), users(graph.tensors.size(), 0);
    const auto take = [&](TensorId id, TensorId of, int32_t at) {
      storage[static_cast<size_t>(id)] = of;
      if (++users[static_cast<size_t>(of)] > 1) return;
      position[static_cast<size_t>(of)] = at;
      changes_.push_back({at, memory.bytes[static_cast<size_t>(of)]});
    };
    for (size_t index = 0; index < graph.nodes.size(); ++index) {
      const std::vector<TensorId> operands = operands_of(graph.nodes[index]);
      for (const TensorId id : operands)
        if (storage[static_cast<size_t>(id)] == kNone) take(id, id, positions[index]);
      const bool views = memory.views[index] && !operands.empty();
      for (const TensorId id : graph.nodes[index].outputs) {
        if (id == kNone) continue;
        take(id, views ? storage[static_cast<size_t>(operands.front())] : id, positions[index]);
      }
      for (const auto& [stage, id] : whole.last_uses[index]) {
        const auto of = static_cast<size_t>(storage[static_cast<size_t>(id)]);
        if (--users[of] == 0) changes_.push_back({position[of], -memory.bytes[of]});
      }
    }
  }

  // The smallest peak to which `stages` stages can be cut, within a thousandth.
  std::vector<int32_t> cuts(int32_t stages) const {
    constexpr int64_t kPrecision = 1024;
    int64_t low = 0, high = peak(0, length_);
    std::vector<int32_t> best(static_cast<size_t>(stages) - 1, length_);
    while (high - low > std::max<int64_t>(1, high / kPrecision)) {
      const int64_t bound = low + (high - low) / 2;
      if (auto cuts = cuts_within(bound, stages)) {
        best = std::move(*cuts);
        high = bound;
      } else {
        low = bound;
      }
    }
    return best;
  }

 private:
  // Of what lies at positions begin .. end - 1.
  int64_t peak(int32_t begin, int32_t end) const {
    int64_t now = 0, peak = 0;
    for (const Change& change : changes_) {
      if (change.position < begin || change.position >= end) continue;
      now += change.bytes;
      peak = std::max(peak, now);
    }
    return peak;
  }

  int32_t farthest_end(int32_t begin, int64_t bound) const {
    int32_t fits = begin, too_far = length_ + 1;
    while (too_far - fits > 1) {
      const int32_t end = fits + (too_far - fits) / 2;
      (peak(begin, end) <= bound ? fits : too_far) = end;
    }
    return fits;
  }

  std::optional<std::vector<int32_t>> cuts_within(int64_t bound, int32_t stages) const {
    std::vector<int32_t> cuts;
    int32_t begin = 0;
    for (int32_t stage = 0; stage + 1 < stages; ++stage) {
      begin = farthest_end(begin, bound);
      cuts.push_back(begin);
    }
    if (peak(begin, length_) > bound) return std::nullopt;
    return cuts;
  }

  const int32_t length_;
  std::vector<Change>
      changes_;  // in the order of time; what a node takes before what it gives back
};

}  // namespace

StagePlan plan_stages(const Graph& graph, const TensorMemory& memory, int32_t stages) {
  const std::vector<int32_t> positions = forward_positions(graph, memory.bytes);
  const std::vector<int32_t> cuts = Cutter(graph, memory, positions).cuts(stages);
  std::vector<int32_t> stage_of;
  for (const int32_t position : positions) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), position);
    stage_of.push_back(static_cast<int32_t>(after - cuts.begin()));
  }
  return plan_of(graph, std::move(stage_of), stages);
}

}  // namespace assay
