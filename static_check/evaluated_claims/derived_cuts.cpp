#include "static_check/evaluated_claims/derived_cuts.h"

#include <optional>
#include <set>

#include "static_check/identity/cuts/extent.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

// Tensors, or slices of one along one dimension; nullopt for other expressions.
std::optional<identity::Cuts::Part> part_of(const Problem& problem, const CleanExpr& expr) {
  const bool slice = expr.kind == CleanExpr::Kind::kSlice;
  const CleanExpr& leaf = slice ? expr.operands[0] : expr;
  if (leaf.kind != CleanExpr::Kind::kTensor) return std::nullopt;
  identity::Cuts::Part part;
  part.of = identity::operator_of_leaf(problem, leaf, true);
  if (part.of == kNone) return std::nullopt;
  if (slice) {
    part.dim = static_cast<size_t>(expr.dim);
    part.start = expr.start;
  }
  return part;
}

bool is_source(Prim prim) {
  return prim == Prim::kInput || prim == Prim::kConst || prim == Prim::kIota ||
         prim == Prim::kUninit || prim == Prim::kRandom;
}

// What may be any numbers in place of an operator's result: what it is made of by moving data, and
// the numbers that integers are computed of. What may be infinite is what it is computed of.
void add_origins(const CoreProgram& program, const std::vector<identity::Extent>& extents,
                 CoreId id, std::set<CoreId>& seen, std::set<CoreId>& origins) {
  if (!seen.insert(id).second) return;
  const CoreOp& op = program.ops[static_cast<size_t>(id)];
  if (is_source(op.prim)) return;
  const bool of_integers = op.prim == Prim::kOneHot ||
                           (op.prim == Prim::kCast &&
                            !is_floating(program.ops[static_cast<size_t>(op.operands[0])].dtype));
  if (is_floating(op.dtype) && !is_movement(op.prim) && op.prim != Prim::kCat && !of_integers &&
      extents[static_cast<size_t>(id)] >= identity::Extent::kNumber) {
    origins.insert(id);
    return;
  }
  for (const CoreId operand : op.operands) add_origins(program, extents, operand, seen, origins);
}

}  // namespace

DerivedCuts::DerivedCuts(const Problem& problem, const DistributedOverSequential& relations)
    : problem_(problem), extents_(identity::extents_of(problem.sequential_program)) {
  for (size_t r = 0; r < relations.size(); ++r) {
    for (const auto& [name, expr] : relations[r]) {
      CleanExpr replica;
      replica.name = name;
      replica.rank = static_cast<Rank>(r);
      add_cut(expr, replica);
    }
  }
}

void DerivedCuts::add_cut(const CleanExpr& sequential, const CleanExpr& replica) {
  const CoreId id = identity::operator_of_leaf(problem_, replica, false);
  const auto part = part_of(problem_, sequential);
  if (id == kNone || !part) return;
  const CoreProgram& program = problem_.rank_programs[static_cast<size_t>(replica.rank)];
  const CoreOp& own = program.ops[static_cast<size_t>(id)];
  const CoreOp& whole = problem_.sequential_program.ops[static_cast<size_t>(part->of)];
  if (is_source(own.prim) || own.dtype != whole.dtype ||
      type_difference(problem_, sequential, replica))
    return;
  cuts_.insert_or_assign({replica.rank, id}, Cut{*part, {sequential, replica}});
}

void DerivedCuts::add(const CleanExpr& sequential, const CleanExpr& replica) {
  if (replica.kind == CleanExpr::Kind::kTensor) return add_cut(sequential, replica);
  CleanExpr part;
  part.kind = CleanExpr::Kind::kSlice;
  part.dim = replica.dim;
  part.operands = {sequential};
  for (const CleanExpr& leaf : replica.operands) {
    const Graph& graph = problem_.rank_graph(leaf.rank);
    part.start = part.end;
    part.end += graph.tensors[static_cast<size_t>(graph.find(leaf.name))]
                    .shape[static_cast<size_t>(replica.dim)];
    add_cut(part, leaf);
  }
}

DerivedCuts::Scoped DerivedCuts::of(const identity::Equation& equation) const {
  Scoped scoped;
  std::set<std::pair<Rank, CoreId>> own;  // is not cut to itself
  for (const CleanExpr& replica : equation.second)
    for_each_leaf(replica, [&](const CleanExpr& leaf) {
      own.insert({leaf.rank, identity::operator_of_leaf(problem_, leaf, false)});
    });
  for (const auto& [place, cut] : cuts_)
    if (!own.contains(place)) scoped.cuts.add(place.first, place.second, cut.part);
  scoped.cone = identity::cone_of(problem_, scoped.cuts, {equation});
  identity::Cuts met;
  std::set<CoreId> seen, origins;
  for (const auto& [place, cut] : cuts_) {
    const auto& [rank, id] = place;
    if (own.contains(place) || !scoped.cone.holds(rank, id) || scoped.cone.calls(rank, id))
      continue;
    met.add(rank, id, cut.part);
    scoped.met.push_back(cut.relation);
    add_origins(problem_.sequential_program, extents_, cut.part.of, seen, origins);
  }
  scoped.any.assign(origins.begin(), origins.end());
  met.free(problem_, scoped.any);
  scoped.cuts = std::move(met);
  scoped.cone = identity::cone_of(problem_, scoped.cuts, {equation});
  return scoped;
}

}  // namespace assay
