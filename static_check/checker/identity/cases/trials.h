// Equations by cases: both sides are evaluated in as many cases as it takes to meet one in which
// they differ.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "static_check/checker/identity/cases/cases.h"
#include "static_check/checker/identity/cases/every_choice.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Trials {
 public:
  // All must outlive this. With a cone, equations are between tensors that are numbers for all
  // inputs.
  Trials(const Joint& joint, std::set<std::string>& notes, const Scope& scope)
      : joint_(joint), notes_(notes), scope_(scope), every_choice_(joint, notes, scope) {}

  // The equation holds in all cases drawn, and so do others of the certificate for the same tensor,
  // where all hold. Throws Rejection where it does not, and where the cases are too many.
  void check(const CleanExpr& sequential, const CleanExpr& replica);

 private:
  struct Equations;
  void check(const CleanExpr& sequential, const std::vector<const CleanExpr*>& replicas);
  void check_all(Equations& equations, Cases::Kind kind);
  bool learn(Equations& equations, Cases::Kind kind);
  float compare(Equations& equations, const Cases::Kind& kind);
  float compare(Equations& equations, const Cases::Kind& kind, uint64_t seed, TieChoice& choice,
                std::string& difference);

  const Joint& joint_;
  std::set<std::string>& notes_;
  const Scope& scope_;
  uint64_t trials_ = 0;  // so far: seeds
  PlainInt work_ = 0;    // elements evaluated so far, of all equations
  std::set<std::pair<std::string, std::string>> held_;  // equations, as texts
  EveryChoice every_choice_;
};

}  // namespace assay::checker::identity
