// Whether lemmas may make two terms equal: by their values at a few coordinates.
#pragma once

#include <optional>

#include "shared_ir/proof/lemma_proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// The one number by which `right` times it is `left`, where random numbers stand for the leaves
// without a definition; nullopt when there is none, or it is no simple fraction. budget:
// evaluations that may still be made; nullopt when they do not suffice.
std::optional<Rational> common_factor(const LemmaProof& terms, Int& budget);

}  // namespace assay
