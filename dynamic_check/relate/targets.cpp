#include "dynamic_check/relate/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/relate/repeated_targets.h"
#include "shared_ir/case/approximation.h"
#include "shared_ir/lower/node/random_operators.h"

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

// Those that draw, and what is computed from these.
std::set<TensorId> random_tensors(const Graph& graph) {
  std::set<TensorId> random;
  for (const Node& node : graph.nodes) {
    const bool draws_here = is_random(node) ? draws(node) : lowering::draws_random_numbers(node.op);
    if (!draws_here &&
        std::ranges::none_of(operands_of(node), [&](TensorId id) { return random.contains(id); }))
      continue;
    for (const TensorId id : node.outputs)
      if (id != kNone) random.insert(id);
  }
  return random;
}

CleanExpr leaf(const std::string& name) {
  CleanExpr expr;
  expr.name = name;
  return expr;
}

// Finds what the ranks hold of the targets where no replica is made of it.
class Held {
 public:
  Held(const Case& refinement, const RankViews& views) : refinement_(refinement), views_(views) {}

  void add_to(Targets& targets) {
    std::map<std::string, Target*> of_tensor;
    for (Target& target : targets.list) {
      for (const CleanExpr& replica : target.replicas)
        for (const RankTensorName& name : leaves_of(replica)) compared_.insert(name);
      if (!target.expected && !target.approximated) of_tensor[target.name] = &target;
    }
    for (size_t rank = 0; rank < views_.size(); ++rank) {
      for (const auto& [name, part] : views_[rank]) {
        if (!is_view(part)) continue;
        const auto found = of_tensor.find(leaves_of(part).front().first);
        if (found == of_tensor.end() || !shows_more(static_cast<Rank>(rank), name, found->first))
          continue;
        by_name_[{found->second, name}].push_back({name, static_cast<Rank>(rank), part});
      }
    }
    for (auto& [where, parts] : by_name_)
      for (std::vector<HeldPart>& list : without_repetitions(std::move(parts)))
        where.first->held.push_back(std::move(list));
  }

 private:
  static bool is_view(const CleanExpr& expr) {
    switch (expr.kind) {
      case CleanExpr::Kind::kTensor:
        return true;
      case CleanExpr::Kind::kSlice:
      case CleanExpr::Kind::kPermute:
      case CleanExpr::Kind::kReshape:
        return is_view(expr.operands.front());
      default:
        return false;
    }
  }

  // Whether an operator made the tensor, with the dtype of the sequential one, and not as a view of
  // what is compared as well.
  bool shows_more(Rank rank, const std::string& name, const std::string& sequential) const {
    const Graph& graph = refinement_.ranks[static_cast<size_t>(rank)];
    const TensorId id = graph.find(name);
    if (id == kNone || compared_.contains({name, rank})) return false;
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    if (tensor.producer == kNone ||
        tensor.dtype != sequential_tensor(refinement_, sequential, {}).dtype ||
        is_uninitialised(graph.nodes[static_cast<size_t>(tensor.producer)]))
      return false;
    const TensorId operand = viewed(graph, id);
    if (operand == kNone) return true;
    const std::string& of = graph.tensors[static_cast<size_t>(operand)].name;
    return !compared_.contains({of, rank}) && !views_[static_cast<size_t>(rank)].contains(of);
  }

  // Ranks that hold the same elements go to different lists.
  static std::vector<std::vector<HeldPart>> without_repetitions(std::vector<HeldPart> parts) {
    std::vector<std::vector<HeldPart>> lists;
    std::map<std::string, size_t> times;
    for (HeldPart& part : parts) {
      const size_t list = times[to_string(part.part)]++;
      if (list == lists.size()) lists.emplace_back();
      lists[list].push_back(std::move(part));
    }
    return lists;
  }

  const Case& refinement_;
  const RankViews& views_;
  std::set<RankTensorName> compared_;  // as parts of replicas
  std::map<std::pair<Target*, std::string>, std::vector<HeldPart>> by_name_;
};

}  // namespace

std::vector<std::pair<std::string, Rank>> leaves_of(const CleanExpr& expr) {
  std::vector<std::pair<std::string, Rank>> leaves;
  for_each_leaf(expr, [&](const CleanExpr& leaf) { leaves.emplace_back(leaf.name, leaf.rank); });
  return leaves;
}

Targets make_targets(const Case& refinement, const std::vector<Relation>& relations,
                     const RankViews& views) {
  Targets targets;
  targets.random = random_tensors(refinement.sequential);
  const auto is_drawn = [&](const std::string& name) {
    return targets.random.contains(refinement.sequential.find(name));
  };
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
                            .random = is_drawn(relation.tensor),
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
      target.random |= is_drawn(name);
    }
    if (depends) continue;
    targets.list.push_back(std::move(target));
  }
  std::stable_sort(targets.list.begin(), targets.list.end(),
                   [](const Target& a, const Target& b) { return a.order < b.order; });
  Held(refinement, views).add_to(targets);
  take_out_repeated(refinement, targets);
  return targets;
}

}  // namespace assay
