// Explanations: the chain of rewriting steps from one term to another of its class.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "static_check/egraph/egraph.h"

namespace assay {

// One step: the term at `path` (operands from the root) is an instance of one side of the lemma and
// becomes the instance of the other; or, by arithmetic, a term of numbers becomes its value (or the
// other way round); or, as given, becomes what the caller united it with.
struct RewriteStep {
  Reason::Kind kind = Reason::Kind::kLemma;  // never kCongruence
  int32_t index = 0;                         // Reason::lemma
  bool forward = true;  // kLemma: left to right; else: from the first of the united terms
  std::vector<int32_t> path;
  Formula replacement;             // what stands at `path` after the step
  std::vector<Formula> variables;  // kLemma: as Reason has them
  std::vector<std::string> dims;
};

// nullopt when it has more than `most` steps. Precondition: graph.same(from, to).
std::optional<std::vector<RewriteStep>> explain(const EGraph& graph, TermId from, TermId to,
                                                size_t most = 10'000);

}  // namespace assay
