#include "dynamic_check/relate/repeated_targets.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dynamic_check/kernels/kernels.h"

namespace assay {
namespace {

class Repetitions {
 public:
  explicit Repetitions(const Case& refinement) : refinement_(refinement) {}

  void take_out(Targets& targets) {
    std::erase_if(targets.list, [&](const Target& target) {
      const bool repeated = repeats(target);
      if (repeated) targets.repeated.push_back(target.name);
      return repeated;
    });
  }

 private:
  using Leaves = std::set<std::pair<Rank, TensorId>>;

  bool repeats(const Target& target) {
    if (target.expected || target.approximated || !target.held.empty()) return false;
    const TensorId id = refinement_.sequential.find(target.name);
    Leaves leaves;
    for (const CleanExpr& replica : target.replicas) {
      for (const auto& [name, rank] : leaves_of(replica)) {
        const auto index = static_cast<size_t>(rank);
        const bool known = rank >= 0 && index < refinement_.ranks.size();
        leaves.emplace(rank, known ? refinement_.ranks[index].find(name) : kNone);
      }
    }
    const auto operand = compared_.find(viewed(refinement_.sequential, id));
    const bool repeats =
        operand != compared_.end() && std::ranges::all_of(leaves, [&](const auto& leaf) {
          const auto& [rank, own] = leaf;
          return own != kNone &&
                 operand->second.contains(
                     {rank, viewed(refinement_.ranks[static_cast<size_t>(rank)], own)});
        });
    compared_.emplace(id, std::move(leaves));
    return repeats;
  }

  const Case& refinement_;
  std::map<TensorId, Leaves> compared_;  // what sequential tensors are compared with
};

}  // namespace

TensorId viewed(const Graph& graph, TensorId id) {
  const NodeId producer = graph.tensors[static_cast<size_t>(id)].producer;
  if (producer == kNone) return kNone;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  const std::vector<TensorId> operands = tensor_arguments(node);
  return !operands.empty() && is_view_operator(node) ? operands.front() : kNone;
}

void take_out_repeated(const Case& refinement, Targets& targets) {
  Repetitions(refinement).take_out(targets);
}

}  // namespace assay
