#include "dynamic_check/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dynamic_check/interpret/boxed_call.h"
#include "shared_ir/approximation.h"

namespace assay {
namespace {

const Tensor& sequential_tensor(const Case& refinement, const std::string& name,
                                const SourcePlace& place) {
  const TensorId id = refinement.sequential.find(name);
  if (id == kNone)
    throw UserError(place, fmt::format("the sequential program has no tensor {}", name));
  return refinement.sequential.tensors[static_cast<size_t>(id)];
}

size_t order_of(const Tensor& tensor) {
  return tensor.producer == kNone ? 0 : static_cast<size_t>(tensor.producer) + 1;
}

// Why a tensor has no value that could be compared; empty when it has.
std::string why_not(const Case& refinement, const Tensor& tensor) {
  if (tensor.producer == kNone) return {};
  const Node& node = refinement.sequential.nodes[static_cast<size_t>(tensor.producer)];
  if (is_uninitialised(node)) return "uninitialised memory";
  if (is_random(node)) return "random numbers";
  return {};
}

CleanExpr leaf(const std::string& name) {
  CleanExpr expr;
  expr.name = name;
  return expr;
}

// The operand of a view; kNone for any other tensor.
TensorId viewed(const Graph& graph, TensorId id) {
  const NodeId producer = graph.tensors[static_cast<size_t>(id)].producer;
  if (producer == kNone) return kNone;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  const std::vector<TensorId> operands = tensor_arguments(node);
  return !operands.empty() && is_view_operator(node) ? operands.front() : kNone;
}

// Takes out what repeats a target before it.
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
    if (target.expected || target.approximated) return false;
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

std::vector<std::pair<std::string, Rank>> leaves_of(const CleanExpr& expr) {
  std::vector<std::pair<std::string, Rank>> leaves;
  for_each_leaf(expr, [&](const CleanExpr& leaf) { leaves.emplace_back(leaf.name, leaf.rank); });
  return leaves;
}

Targets make_targets(const Case& refinement, const std::vector<Relation>& relations) {
  Targets targets;
  const std::vector<bool> approximated = approximated_tensors(refinement);
  const auto is_approximated = [&](const std::string& name) {
    return approximated[static_cast<size_t>(refinement.sequential.find(name))];
  };
  for (const Approximation& accepted : refinement.approximations) {
    const Tensor& tensor = sequential_tensor(refinement, accepted.tensor, accepted.place);
    targets.list.push_back({.name = accepted.tensor,
                            .sequential = leaf(accepted.tensor),
                            .replicas = accepted.replicas,
                            .approximated = true,
                            .order = order_of(tensor)});
  }
  for (const Relation& relation : relations) {
    if (relation.replicas.empty()) continue;
    const Tensor& tensor = sequential_tensor(refinement, relation.tensor, relation.place);
    if (is_approximated(relation.tensor)) {
      targets.skipped.push_back(
          fmt::format("{}: depends on an accepted approximation", relation.tensor));
      continue;
    }
    if (const std::string why = why_not(refinement, tensor); !why.empty()) {
      targets.skipped.push_back(fmt::format("{}: {}", relation.tensor, why));
      continue;
    }
    targets.list.push_back({.name = relation.tensor,
                            .sequential = leaf(relation.tensor),
                            .replicas = relation.replicas,
                            .order = order_of(tensor)});
  }
  for (const Expectation& expectation : refinement.expect) {
    Target target{.name = to_string(expectation.sequential),
                  .sequential = expectation.sequential,
                  .replicas = expectation.replicas,
                  .expected = true};
    bool depends = false;
    if (expectation.sequential.kind == CleanExpr::Kind::kTensor)
      target.name = expectation.sequential.name;
    for (const auto& [name, rank] : leaves_of(expectation.sequential)) {
      target.order =
          std::max(target.order, order_of(sequential_tensor(refinement, name, expectation.place)));
      depends |= is_approximated(name);
    }
    if (depends) continue;
    targets.list.push_back(std::move(target));
  }
  std::stable_sort(targets.list.begin(), targets.list.end(),
                   [](const Target& a, const Target& b) { return a.order < b.order; });
  Repetitions(refinement).take_out(targets);
  return targets;
}

}  // namespace assay
