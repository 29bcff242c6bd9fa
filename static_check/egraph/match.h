// E-matching: where in the classes one side of a lemma stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/proof/lemma.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/egraph/egraph.h"

namespace assay {

// A lemma read in one direction.
class Rule {
 public:
  Rule(const Lemma& lemma, int32_t position, bool forward);

  // False where the pattern says nothing of where to look (a lone variable) or leaves something of
  // the other side open.
  bool usable() const { return usable_; }
  int32_t lemma() const { return position_; }
  bool forward() const { return forward_; }

  struct Match {
    ClassId where;
    std::vector<TermId> variables;  // sorted by name, as Reason has them
    std::vector<DimId> dims;
  };
  // At most `limit` of them, and no more where `visits` terms were looked at; the graph must be
  // rebuilt.
  struct Matches {
    std::vector<Match> found;
    bool all = true;  // false where either bound was reached
  };
  Matches matches(const EGraph& graph, size_t limit, Int visits) const;

  // The lemma's instance, both sides: their terms are equal by the lemma. nullopt when a condition
  // does not show on any term that is equal to what was matched.
  struct Instance {
    TermId pattern;
    TermId replacement;
    Reason reason;
  };
  std::optional<Instance> instantiate(EGraph& graph, const Match& match) const;

 private:
  // Variables and dimensions by slot.
  struct Pattern {
    Formula symbol;
    int32_t node = 0;  // of the rule's calls, numbered
    int32_t variable = kNone;
    int32_t dim = kNone;
    std::vector<Pattern> operands;
  };

  // One search for matches.
  class Matcher;

  Pattern compile(const Formula& formula, int32_t& nodes) const;
  TermId add(EGraph& graph, const Pattern& pattern, const Match& match) const;
  bool choose(const EGraph& graph, Match& match) const;
  bool choose_disjoint(const EGraph& graph, const Condition& condition, Match& match) const;
  bool holds(const EGraph& graph, const Condition& condition, const Match& match) const;
  TermFacts facts(const EGraph& graph, const Formula& formula, const Match& match) const;
  size_t slot(const std::string& variable) const;

  const Lemma* lemma_;
  int32_t position_;
  bool forward_;
  bool usable_;
  std::vector<std::string> variables_, dims_;
  Pattern pattern_, replacement_;
  int32_t nodes_ = 0;
};

}  // namespace assay
