#pragma once

#include <vector>

#include "shared_ir/case/approximation.h"
#include "shared_ir/lower/lower.h"
#include "static_check/checker/checker.h"
#include "static_check/lemmas/shipped_lemmas.h"

namespace assay::test {

/// Everything that the certificate checker reads.
struct Replay {
  Case refinement;
  CoreProgram sequential;
  std::vector<CoreProgram> ranks;
  Certificate certificate;
  LemmaTable lemmas;

  CheckResult check(Replayed what = Replayed::kProof) const {
    return check_certificate(refinement, sequential, ranks, certificate, what, lemmas);
  }
};

inline Replay replay_of(Case refinement, Certificate certificate, const OperatorTable& operators) {
  LemmaTable lemmas = lemmas_with_files(refinement.lemma_files);
  Replay replay{std::move(refinement), {}, {}, std::move(certificate), std::move(lemmas)};
  const Case of = given_approximations(replay.refinement).refinement;
  replay.sequential = lower(of.sequential, of.sequential_groups, 0, operators);
  for (size_t rank = 0; rank < of.ranks.size(); ++rank)
    replay.ranks.push_back(
        lower(of.ranks[rank], of.distributed_groups, static_cast<Rank>(rank), operators));
  return replay;
}

}  // namespace assay::test
