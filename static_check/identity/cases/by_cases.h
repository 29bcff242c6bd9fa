// Identities that hold piece by piece: both programs are evaluated many times, each time with all
// comparisons, extrema and indices decided at random. Of two functions whose difference depends on
// k binary decisions at least one case in 2^k shows it (the minimum distance of Reed-Muller codes),
// so that 42 * 2^k cases miss it with a probability below 2^-60. Where nothing is decided but which
// indices and flags the inputs hold, and these have few values together, all of them are gone
// through, however many a term depends on.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/identity/cases/effort.h"
#include "static_check/identity/evaluation.h"

namespace assay::identity {

class ByCases {
 public:
  // What the scope has must outlive this.
  explicit ByCases(const Problem& problem, Scope scope, const Effort& effort)
      : problem_(problem), scope_(scope), effort_(effort) {}

  // Equations that are evaluated together where all values of indices and flags are gone through.
  void announce(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);
  // Whether each is equal to the specification's wherever that is a number. Throws NotRepresented
  // where that is not decided, or too much work.
  bool holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);
  // Elements, of all cases so far.
  int64_t computed() const { return computed_; }
  // What constants of the programs were taken for.
  const std::set<std::string>& readings() const { return readings_; }

 private:
  struct Equation {
    CleanExpr sequential;
    std::vector<CleanExpr> replicas;
    bool differs = false;
    std::vector<int> compared = {};  // how often each element was
  };
  struct Counts;
  struct Found {
    bool equal = false, compared = false;
    std::vector<Compared> elements;
    int bits = 0;
  };

  bool holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas, bool decide_sets);
  Found compare(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                bool decide_sets, uint64_t seed, bool with_ties);
  Found compare(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas, uint64_t seed,
                Cases& cases, bool decide_sets);
  void require_numbers(const Evaluation& evaluation, const std::vector<Compared>& elements) const;
  // For all values of the indices and flags. Throws NotRepresented where more is decided.
  bool holds_for_all(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);
  void run_for_all();
  void evaluate_for_all(Assignments& assignments);

  const Problem& problem_;
  const Scope scope_;
  const Effort effort_;
  Thresholds thresholds_;
  Ties ties_;
  IndexRanges ranges_;
  std::set<std::string> readings_;
  int64_t each_ = 0;  // elements of one evaluation; 0: nothing has been learned
  int64_t computed_ = 0;
  // For all values of the indices and flags.
  std::vector<Equation> announced_;
  uint64_t evaluated_ = 0;
  int runs_ = 0;  // 0: none yet; -1: these are too many
};

}  // namespace assay::identity
