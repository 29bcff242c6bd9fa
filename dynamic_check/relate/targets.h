// What a run compares: each sequential tensor with a relation, and each expectation of the case.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/clean_expr.h"

namespace assay {

// What a rank's tensors hold of sequential ones, where they are views of one: per rank, by name
// (StaticResult::distributed_over_sequential).
using RankViews = std::vector<std::map<std::string, CleanExpr>>;

// A rank's tensor that holds elements of a sequential one.
struct HeldPart {
  std::string name;
  Rank rank = 0;
  CleanExpr part;  // of the sequential tensor: slices, permutations, reshapes
};

struct Target {
  std::string name;      // the sequential tensor; of an expectation, its expression
  CleanExpr sequential;  // over sequential tensors, at rank 0
  std::vector<CleanExpr> replicas;
  bool expected = false;      // an expectation of the case: the placement that the user asked for
  bool approximated = false;  // accepted as it is: how far it is off is measured, and no deviation
  bool random = false;  // computed from random numbers: only what is far off is seen, and equality
                        // with other draws says nothing
  // Tensors of the ranks that hold elements of it besides, of which no target's replicas are made.
  // Each list has one tensor's on several ranks, for different elements.
  std::vector<std::vector<HeldPart>> held{};
  size_t order = 0;  // nodes of the sequential program that run before it is there
};

struct Targets {
  std::vector<Target> list;          // in dependency order
  std::vector<std::string> skipped;  // "NAME: why", for relations that cannot be compared
  // Relations that are no targets, as they show again what one of a target does: of a view, whose
  // operand is compared, to views of what the operand is compared with.
  std::vector<std::string> repeated;
  std::set<TensorId> random;  // sequential tensors that are computed from random numbers
};

// What depends on an accepted approximation differs from the sequential program by its nature: it
// is no target (find_witness.h compares it, given the approximation). Throws UserError when a
// relation or expectation names a sequential tensor that does not exist.
Targets make_targets(const Case& refinement, const std::vector<Relation>& relations,
                     const RankViews& views = {});

// Names of the tensors that an expression takes elements from.
std::vector<std::pair<std::string, Rank>> leaves_of(const CleanExpr& expr);

}  // namespace assay
