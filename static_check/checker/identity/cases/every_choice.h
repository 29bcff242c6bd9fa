// Equations that hold for every choice of the flags and indices among the inputs, of which there
// are few, where nothing else is decided: then each choice leaves an analytic function, and no
// count of cases is needed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "static_check/checker/identity/cases/learned.h"
#include "static_check/checker/identity/cuts/cuts.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class EveryChoice {
 public:
  // All must outlive this.
  EveryChoice(const Joint& joint, std::set<std::string>& notes, const Scope& scope)
      : joint_(joint), notes_(notes), scope_(scope) {}

  // The equation is one of the scope's, all of which are evaluated together. Throws Rejection
  // where it does not hold, and where choices are too many or more is decided.
  void check(const CleanExpr& sequential, const CleanExpr& replica);

 private:
  struct Equation {
    bool differs = false;
    std::vector<int> compared;  // for how many choices, by element
  };

  void run();
  void learn();
  PlainInt count(PlainInt most) const;
  void evaluate(bool compare);

  const Joint& joint_;
  std::set<std::string>& notes_;
  const Scope& scope_;
  Learned learned_;
  uint64_t runs_ = 0;
  std::optional<std::vector<Equation>> equations_;  // of the scope, in its order
};

}  // namespace assay::checker::identity
