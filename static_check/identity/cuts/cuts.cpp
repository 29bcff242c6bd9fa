#include "static_check/identity/cuts/cuts.h"

#include <algorithm>

#include "static_check/identity/cuts/positive.h"

namespace assay::identity {
namespace {

CoreId operator_of_leaf(const Problem& problem, const CleanExpr& leaf, bool of_specification) {
  const Graph& graph =
      of_specification ? problem.refinement.sequential : problem.rank_graph(leaf.rank);
  const CoreProgram& program = of_specification
                                   ? problem.sequential_program
                                   : problem.rank_programs[static_cast<size_t>(leaf.rank)];
  return program.value_of[static_cast<size_t>(graph.find(leaf.name))];
}

bool is_collective(const CoreOp& op) { return op.prim == Prim::kCollective; }

// Adds what the marked operators are computed of, but for those that are cut; what they are cut to
// is marked in the specification. Whether a collective is among them.
bool mark_operands(const CoreProgram& program, Rank rank, const Cuts& cuts, Cone& cone,
                   std::vector<bool>& marked) {
  bool collectives = false;
  for (size_t i = program.ops.size(); i-- > 0;) {
    if (!marked[i]) continue;
    const CoreOp& op = program.ops[i];
    const Cuts::Part* cut = rank == kNone ? nullptr : cuts.find(rank, static_cast<CoreId>(i));
    if (cut != nullptr) cone.sequential[static_cast<size_t>(cut->of)] = true;
    collectives |= is_collective(op);
    // Its members call a collective whatever is made of it.
    const bool free = rank == kNone && cuts.free_sign(static_cast<CoreId>(i)).has_value();
    if ((cut != nullptr || free) && !is_collective(op)) continue;
    for (const CoreId operand : op.operands) marked[static_cast<size_t>(operand)] = true;
  }
  return collectives;
}

int64_t count_marked(const CoreProgram& program, const std::vector<bool>& marked) {
  int64_t elements = 0;
  for (size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) elements += element_count(program.ops[i].shape);
  return elements;
}

}  // namespace

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
  const bool positive = always_positive(problem.sequential_program)[static_cast<size_t>(id)];
  free_[id] = positive ? Sign::kPositive : Sign::kAny;
}

std::optional<Sign> Cuts::free_sign(CoreId of_specification) const {
  const auto found = free_.find(of_specification);
  return found == free_.end() ? std::nullopt : std::optional(found->second);
}

const Cuts::Part* Cuts::find(Rank rank, CoreId id) const {
  const auto found = parts_.find({rank, id});
  return found == parts_.end() ? nullptr : &found->second;
}

Cone cone_of(const Problem& problem, const Cuts& cuts, const std::vector<Equation>& equations) {
  Cone cone;
  cone.sequential.resize(problem.sequential_program.ops.size());
  for (const CoreProgram& program : problem.rank_programs)
    cone.ranks.emplace_back(program.ops.size());
  const auto mark = [&](const CleanExpr& leaf, bool of_specification) {
    const CoreId id = operator_of_leaf(problem, leaf, of_specification);
    if (id == kNone) return;
    auto& of = of_specification ? cone.sequential : cone.ranks[static_cast<size_t>(leaf.rank)];
    of[static_cast<size_t>(id)] = true;
  };
  for (const auto& [sequential, replicas] : equations) {
    for_each_leaf(sequential, [&](const CleanExpr& leaf) { mark(leaf, true); });
    for (const CleanExpr& replica : replicas)
      for_each_leaf(replica, [&](const CleanExpr& leaf) { mark(leaf, false); });
  }

  const auto mark_ranks = [&] {
    bool collectives = false;
    for (size_t r = 0; r < cone.ranks.size(); ++r)
      collectives |=
          mark_operands(problem.rank_programs[r], static_cast<Rank>(r), cuts, cone, cone.ranks[r]);
    return collectives;
  };
  if (mark_ranks()) {  // then all of them are called, as they were
    for (size_t r = 0; r < cone.ranks.size(); ++r)
      for (size_t i = 0; i < cone.ranks[r].size(); ++i)
        if (is_collective(problem.rank_programs[r].ops[i])) cone.ranks[r][i] = true;
    mark_ranks();
  }
  mark_operands(problem.sequential_program, kNone, cuts, cone, cone.sequential);
  for (size_t i = 0; i < cone.sequential.size(); ++i)
    if (is_collective(problem.sequential_program.ops[i])) cone.sequential[i] = true;
  mark_operands(problem.sequential_program, kNone, cuts, cone, cone.sequential);

  cone.elements = count_marked(problem.sequential_program, cone.sequential);
  for (size_t r = 0; r < cone.ranks.size(); ++r)
    cone.elements += count_marked(problem.rank_programs[r], cone.ranks[r]);
  return cone;
}

}  // namespace assay::identity
