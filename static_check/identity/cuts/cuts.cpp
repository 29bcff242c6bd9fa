#include "static_check/identity/cuts/cuts.h"

#include <algorithm>

#include "static_check/identity/cuts/extent.h"
#include "static_check/identity/cuts/positive.h"

namespace assay::identity {

CoreId operator_of_leaf(const Problem& problem, const CleanExpr& leaf, bool of_specification) {
  const Graph& graph =
      of_specification ? problem.refinement.sequential : problem.rank_graph(leaf.rank);
  const CoreProgram& program = of_specification
                                   ? problem.sequential_program
                                   : problem.rank_programs[static_cast<size_t>(leaf.rank)];
  return program.value_of[static_cast<size_t>(graph.find(leaf.name))];
}

void Cuts::add(const Problem& problem, const CleanExpr& sequential, const CleanExpr& replica) {
  const CoreId of = operator_of_leaf(problem, sequential, true);
  const bool several = replica.kind == CleanExpr::Kind::kConcat;
  const auto dim = several ? static_cast<size_t>(replica.dim) : 0;
  int64_t start = 0;
  const auto add_leaf = [&](const CleanExpr& leaf) {
    const CoreId id = operator_of_leaf(problem, leaf, false);
    const CoreProgram& program = problem.rank_programs[static_cast<size_t>(leaf.rank)];
    parts_.insert_or_assign({leaf.rank, id}, Part{of, dim, start});
    if (several) start += program.ops[static_cast<size_t>(id)].shape[dim];
  };
  if (several) {
    std::ranges::for_each(replica.operands, add_leaf);
  } else {
    add_leaf(replica);
  }
}

void Cuts::free(const Problem& problem, const CleanExpr& sequential) {
  const CoreId id = operator_of_leaf(problem, sequential, true);
  free(problem, {&id, 1});
}

void Cuts::free(const Problem& problem, std::span<const CoreId> of_specification) {
  const std::vector<bool> positive = always_positive(problem.sequential_program);
  const std::vector<Extent> extents = extents_of(problem.sequential_program);
  for (const CoreId id : of_specification) {
    const auto at = static_cast<size_t>(id);
    // An exponential of minus infinity is 0.
    const bool is_positive = positive[at] && extents[at] == Extent::kOfNumbers;
    free_[id] = is_positive ? Sign::kPositive : Sign::kAny;
  }
}

std::optional<Sign> Cuts::free_sign(CoreId of_specification) const {
  const auto found = free_.find(of_specification);
  return found == free_.end() ? std::nullopt : std::optional(found->second);
}

const Cuts::Part* Cuts::find(Rank rank, CoreId id) const {
  const auto found = parts_.find({rank, id});
  return found == parts_.end() ? nullptr : &found->second;
}

}  // namespace assay::identity
