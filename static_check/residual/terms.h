// Two atoms as terms of lemmas: their definitions, unfolded down to what both have in common.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "shared_ir/proof/lemma_proof.h"
#include "static_check/lift/lifting.h"

namespace assay {

// A lemma proof without its steps: dimensions, leaves, definitions. `left` and `right` are the two
// atoms as wholes, row-major over common dimensions. nullopt when the atoms' index spaces do not
// split into common dimensions, the terms grow too large, or an infinity is among what they are
// made of: lemmas are about real numbers.
std::optional<LemmaProof> terms_of(const Lifting& lifting, AtomId left, AtomId right);

// The atoms that an atom is made of, itself included.
std::set<AtomId> cone_of(const Lifting& lifting, AtomId atom);

}  // namespace assay
