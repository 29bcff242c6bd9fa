#include "static_check/evaluated_claims/likely_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "shared_ir/base/error.h"
#include "static_check/domains/trials/claims.h"
#include "static_check/domains/trials/trials.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

// Of both signs, of one, of a sign for each input.
constexpr std::array<size_t, 6> kDraws = {4, 0, 12, 16, 8, 3};
constexpr size_t kDrawsThatTell = 2;
// Elements of all operators that are computed for one draw.
constexpr int64_t kMostComputed = int64_t{1} << 23;
constexpr double kRounding = 1e-9;  // of the greatest magnitude of a tensor

CleanExpr leaf_of(const std::string& name, Rank rank) {
  CleanExpr leaf;
  leaf.name = name;
  leaf.rank = rank;
  return leaf;
}

bool may_wrap(const CoreProgram& program, TensorId tensor) {
  return program.may_wrap[static_cast<size_t>(tensor)];
}

class Finder {
 public:
  Finder(const Problem& problem, std::vector<Trial> trials)
      : problem_(problem), trials_(std::move(trials)) {}

  std::optional<std::vector<CleanExpr>> replicas_of(TensorId sequential) const {
    const Tensor& wanted = whole().tensors[static_cast<size_t>(sequential)];
    const CleanExpr leaf = leaf_of(wanted.name, 0);
    if (!tells(sequential)) return std::nullopt;
    for (const Tensor& of_first : problem_.rank_graph(0).tensors) {
      if (of_first.dtype != wanted.dtype || of_first.producer == kNone ||
          of_first.shape.size() != wanted.shape.size())
        continue;
      for (const auto& replicas : ranks_have(of_first.name, wanted))
        if (std::ranges::all_of(replicas,
                                [&](const CleanExpr& replica) { return agree(leaf, replica); }))
          return replicas;
    }
    return std::nullopt;
  }

 private:
  const Graph& whole() const { return problem_.refinement.sequential; }

  // The ranks' tensors of a name as they may make up the wanted one.
  std::vector<std::vector<CleanExpr>> ranks_have(const std::string& name,
                                                 const Tensor& wanted) const {
    std::vector<CleanExpr> leaves;
    std::vector<Shape> shapes;
    for (size_t r = 0; r < problem_.refinement.ranks.size(); ++r) {
      const Graph& graph = problem_.rank_graph(static_cast<Rank>(r));
      const TensorId id = graph.find(name);
      if (id == kNone || problem_.rank_programs[r].value_of[static_cast<size_t>(id)] == kNone ||
          may_wrap(problem_.rank_programs[r], id))
        return {};
      const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
      if (tensor.dtype != wanted.dtype) return {};
      shapes.push_back(tensor.shape);
      leaves.push_back(leaf_of(name, static_cast<Rank>(r)));
    }
    return made_of(leaves, shapes, wanted.shape);
  }

  // Numbers, of which some are not 0.
  bool tells(TensorId sequential) const {
    const CoreId id = problem_.sequential_program.value_of[static_cast<size_t>(sequential)];
    return std::ranges::all_of(trials_, [&](const Trial& trial) {
      const auto& values = trial.sequential[static_cast<size_t>(id)].values;
      return std::ranges::all_of(values, [](double x) { return std::isfinite(x); }) &&
             std::ranges::any_of(values, [](double x) { return x != 0; });
    });
  }

  bool agree(const CleanExpr& sequential, const CleanExpr& replica) const {
    return std::ranges::all_of(trials_, [&](const Trial& trial) {
      const ClaimedNumbers numbers = numbers_of(problem_, trial, sequential, replica);
      const double rounding = kRounding * greatest_magnitude(numbers.wanted);
      return std::ranges::equal(
          numbers.wanted.values, numbers.found.values,
          [&](double wanted, double found) { return std::fabs(wanted - found) <= rounding; });
    });
  }

  const Problem& problem_;
  const std::vector<Trial> trials_;
};

std::vector<Trial> trials_of(const Problem& problem) {
  std::vector<Trial> result;
  const Trials trials(problem);
  if (trials.elements() > kMostComputed) return result;
  for (const size_t draw : kDraws) {
    if (result.size() == kDrawsThatTell) break;
    try {
      if (auto trial = trials.run(draw)) result.push_back(std::move(*trial));
    } catch (const UserError&) {  // the ranks cannot go on
    }
  }
  return result;
}

}  // namespace

std::vector<LikelyClaim> likely_claims(const Problem& problem, const RelationMap& relations) {
  std::vector<Trial> trials = trials_of(problem);
  if (trials.size() < kDrawsThatTell) return {};
  const Finder finder(problem, std::move(trials));
  std::vector<LikelyClaim> result;
  for (const auto& [id, relation] : relations) {
    const Tensor& tensor = problem.refinement.sequential.tensors[static_cast<size_t>(id)];
    if (!relation.empty() || is_bool(tensor.dtype) || tensor.producer == kNone ||
        may_wrap(problem.sequential_program, id))
      continue;
    if (auto replicas = finder.replicas_of(id)) result.push_back({id, std::move(*replicas)});
  }
  return result;
}

}  // namespace assay
