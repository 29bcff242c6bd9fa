// Which atoms lemmas should make equal, where the cover has left sequential tensors without a
// relation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "static_check/problem/problem.h"
#include "static_check/residual/equality.h"

namespace assay {

// One search of a check. Remembers the pairs that it has tried.
class EqualitySearch {
 public:
  explicit EqualitySearch(const LemmaTable& lemmas, const LemmaBudget& budget = {})
      : lemmas_(lemmas), budget_(budget), whole_budget_(budget) {}

  struct Found {
    AtomId sequential;
    AtomId distributed;
    LemmaProof proof;
  };
  // The first pair that the lemmas show to be equal: an atom of a sequential tensor without a
  // relation, in the order of the program, and one that the ranks compute from the same inputs and
  // the sequential program does not. Throws TimedOut.
  std::optional<Found> next(const Problem& problem, const RelationMap& relations);

  // Where lemmas were tried and did not give a proof, and why the search went no further, for the
  // report: "y = y@0: the limit of 20000 terms was reached".
  const std::vector<std::string>& stopped() const { return stopped_; }

 private:
  // Names the bound when the budget is spent.
  bool budget_is_spent();

  const LemmaTable& lemmas_;
  LemmaBudget budget_;
  const LemmaBudget whole_budget_;
  std::vector<std::string> stopped_;
  const std::set<AtomId>& sources_of(const Lifting& lifting, AtomId atom);

  std::set<std::pair<AtomId, AtomId>> tried_;
  std::map<AtomId, std::set<AtomId>> sources_;
};

}  // namespace assay
