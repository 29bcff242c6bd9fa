// Atoms that a certificate shows to be equal by lemmas.
#pragma once

#include <vector>

#include "shared_ir/proof/lemma.h"
#include "shared_ir/proof/lemma_proof.h"
#include "static_check/checker/facts/facts.h"

namespace assay::checker {

// Replays the proofs in order; `facts` then knows the equalities. A proof is right when
//  1. each leaf is an element of its atom at every coordinate, and each definition is what the
//     leaf's instance computes there: a lemma's functions are those of the instances;
//  2. every step rewrites by a definition, arithmetic, or an instance of a lemma whose conditions
//     show on the instance (rewriting.h), and the steps lead from `left` to `right`;
//  3. both are their atoms as wholes, row-major, so that the atoms are equal index by index.
// Lemmas are about real numbers: an atom that holds an infinity or a NaN is no leaf. Throws
// Rejection.
void learn_lemmas(Facts& facts, const LemmaTable& lemmas, const std::vector<LemmaProof>& proofs);

}  // namespace assay::checker
