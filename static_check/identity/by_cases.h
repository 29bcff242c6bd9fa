// Identities that hold piece by piece: both programs are evaluated many times, each time with all
// comparisons, extrema and indices decided at random. Of two functions whose difference depends on
// k binary decisions at least one case in 2^k shows it (the minimum distance of Reed-Muller codes),
// so that 42 * 2^k cases miss it with a probability below 2^-60.
#pragma once

#include "shared_ir/clean_expr.h"
#include "static_check/identity/evaluation.h"

namespace assay::identity {

class ByCases {
 public:
  explicit ByCases(const Problem& problem) : problem_(problem) {}

  // Whether both are equal wherever the specification is a number. Throws NotRepresented where
  // that is not decided, or too much work.
  bool holds(const CleanExpr& sequential, const CleanExpr& replica);

 private:
  bool holds(const CleanExpr& sequential, const CleanExpr& replica, bool decide_sets);

  const Problem& problem_;
  Thresholds thresholds_;
  IndexTables tables_;
  bool learned_ = false;
  int64_t computed_ = 0;  // elements, of all cases
};

}  // namespace assay::identity
