// What a run compares: each sequential tensor with a relation, and each expectation of the case.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/case.h"
#include "shared_ir/clean_expr.h"

namespace assay {

struct Target {
  std::string name;      // the sequential tensor; of an expectation, its expression
  CleanExpr sequential;  // over sequential tensors, at rank 0
  std::vector<CleanExpr> replicas;
  bool expected = false;      // an expectation of the case: the placement that the user asked for
  bool approximated = false;  // accepted as it is: how far it is off is measured, and no deviation
  size_t order = 0;           // nodes of the sequential program that run before it is there
};

struct Targets {
  std::vector<Target> list;          // in dependency order
  std::vector<std::string> skipped;  // "NAME: why", for relations that cannot be compared
  // Relations that are no targets, as they show again what one of a target does: of a view, whose
  // operand is compared, to views of what the operand is compared with.
  std::vector<std::string> repeated;
};

// What depends on an accepted approximation differs from the sequential program by its nature: it
// is no target (replay.h compares it, given the approximation). Throws UserError when a relation or
// expectation names a sequential tensor that does not exist.
Targets make_targets(const Case& refinement, const std::vector<Relation>& relations);

// Names of the tensors that an expression takes elements from.
std::vector<std::pair<std::string, Rank>> leaves_of(const CleanExpr& expr);

}  // namespace assay
