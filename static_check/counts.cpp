#include "static_check/counts.h"

#include <string>

#include "shared_ir/symbolic/integer.h"
#include "static_check/lemmas/offered_lemmas.h"

namespace assay {

void count(Problem& problem, const std::vector<LemmaProof>& proofs, StaticReport& report) {
  auto& counts = report.counts;
  counts.sequential_ops = static_cast<Int>(problem.refinement.sequential.nodes.size());
  for (const Graph& graph : problem.refinement.ranks)
    counts.distributed_ops += static_cast<Int>(graph.nodes.size());
  counts.terms = static_cast<Int>(problem.lifting.universe().atoms.size());
  for (std::string& note : problem.lifting.solver().notes())
    report.trusted.push_back(std::move(note));
  report.unanswered = problem.lifting.solver().unanswered();
  for (const LemmaProof& proof : proofs)
    for (const LemmaProof::Step& step : proof.steps)
      if (step.kind == LemmaProof::Step::Kind::kLemma) ++counts.lemmas[step.lemma];
  for (const auto& [lemma, uses] : counts.lemmas)
    report.trusted.push_back("lemma " + lemma + ": " + decimal(uses) +
                             (uses == 1 ? " use" : " uses") +
                             where_certified(report.lemmas, lemma));
}

}  // namespace assay
