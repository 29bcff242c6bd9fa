// The steps of a lemma proof, replayed on formulas: each lemma is instantiated from its text.
#pragma once

#include "shared_ir/proof/lemma.h"
#include "shared_ir/proof/lemma_proof.h"

namespace assay::checker {

// What the formula becomes, step by step. Throws Rejection where a step is not what its lemma, its
// definition or arithmetic says, or where a condition does not show on the instance: it is derived
// from the formula alone, never from what the proof says elsewhere.
Formula rewrite(Formula formula, const LemmaProof& proof, const LemmaTable& lemmas);

}  // namespace assay::checker
