// Equations by cases: both sides are evaluated in as many cases as it takes to meet one in which
// they differ.
#pragma once

#include <set>
#include <string>

#include "static_check/checker/identity/cases/cases.h"
#include "static_check/checker/identity/cases/every_choice.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Trials {
 public:
  // Both must outlive this.
  Trials(const Joint& joint, std::set<std::string>& notes)
      : joint_(joint), notes_(notes), every_choice_(joint, notes) {}

  // The equation holds in all cases drawn. Throws Rejection where it does not, and where the cases
  // are too many.
  void check(const CleanExpr& sequential, const CleanExpr& replica);

 private:
  struct Equation;
  void check_all(Equation& equation, Cases::Kind kind);
  bool learn(Equation& equation, Cases::Kind kind);
  float compare(Equation& equation, const Cases::Kind& kind);
  float compare(Equation& equation, const Cases::Kind& kind, uint64_t seed, TieChoice& choice,
                std::string& difference);

  const Joint& joint_;
  std::set<std::string>& notes_;
  uint64_t trials_ = 0;  // so far: seeds
  PlainInt work_ = 0;    // elements evaluated so far, of all equations
  EveryChoice every_choice_;
};

}  // namespace assay::checker::identity
