// What was proved, on the numbers of a trial.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/proof/proof.h"
#include "static_check/domains/trials/trials.h"
#include "static_check/problem/problem.h"

namespace assay {

// What the specification gives, and what the ranks.
struct ClaimedNumbers {
  ReferenceTensor wanted;
  ReferenceTensor found;
};

// Of the problem's programs in the trial. Throws UserError for a tensor that has no value.
ClaimedNumbers numbers_of(const Problem& problem, const Trial& trial, const CleanExpr& sequential,
                          const CleanExpr& replica);

class Claims {
 public:
  // What the case expects and the relations of the outputs; the problem must outlive it.
  Claims(const Problem& problem, const Certificate& certificate);

  // Per claim. Of the problem's programs.
  std::vector<ClaimedNumbers> numbers(const Trial& trial) const;

 private:
  const Problem& problem_;
  std::vector<std::pair<CleanExpr, CleanExpr>> claims_;
};

// The greatest magnitude of numbers, and of all that a trial computes, that lies below; 0 where
// there is none.
double greatest_magnitude(const ReferenceTensor& tensor, double below = INFINITY);
double greatest_magnitude(const Trial& trial, double below = INFINITY);

// What double precision may do, generously, to numbers that are made of some of that magnitude.
double trial_rounding(double magnitude);

// Where both have a number: the last two that are further apart, what is wanted first. Of one
// shape.
std::optional<std::pair<double, double>> difference(const ClaimedNumbers& numbers, double rounding);

}  // namespace assay
