// Atoms of the ranks that lemmas show to be atoms of the sequential program.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "shared_ir/proof/lemma.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/egraph/saturate.h"
#include "static_check/lift/lifting.h"

namespace assay {

// What a check may spend on lemmas; it ends without a proof where it is spent.
struct LemmaBudget {
  int pairs = 300;            // of atoms that are compared at all
  Int evaluations = 400'000;  // of terms on numbers, to tell which pairs are worth a try
  int saturations = 4;        // that do not reach their goal
  SaturationLimits limits;
};

struct EqualityAttempt {
  std::optional<LemmaProof> proof;
  std::optional<StopReason> stopped;  // why a saturation ended without one
};

// Shows left = factor * right, element by element, for the factor that fits. No proof where the
// lemmas do not give one, and no saturation where numbers tell the sides apart or the budget is
// spent.
EqualityAttempt prove_equal(const Lifting& lifting, const LemmaTable& lemmas, AtomId left,
                            AtomId right, LemmaBudget& budget);

}  // namespace assay
