// The independent checker of certificates: the trusted base of every `proved`, next to lowering.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"
#include "shared_ir/proof/lemma.h"
#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

struct CheckResult {
  bool accepted = false;
  // A coefficient of a comparison leaves 64 bits, or it has too many terms.
  bool undecided = false;
  std::string reason;  // when not accepted: which program, operator, elements, and what differs
  Int claims = 0;      // tensors whose claim was derived
  Int probes = 0;      // regions on which two claims were compared
};

// kProof: the relations hold, every output has one, and every expectation of the case holds.
// kClaims: the relations that the certificate has hold; it may be that of an attempt.
enum class Replayed : uint8_t { kProof, kClaims };

// Re-derives every claim of the certificate, as a type checker does: an operator's claim must
// follow from its operands' claims and the operator's meaning. Trusts lower() (which made
// `sequential` and `ranks`) and nothing that the lifter says. Throws InternalError when the
// programs do not belong to the case; a wrong certificate is never an exception. The programs of a
// case with approximations are those of given_approximations(refinement).
//
// Why an accepted certificate is right. Let every sequential input have any value, and every
// distributed input any value that the case's input relations allow; what an accepted approximation
// takes out (approximation.h) is such an input. Then:
//  1. Atoms denote. An instance's operands have smaller ids than its output, every address stays
//  inside its atom, and the
//     labels that a box may restrict are derived from the instances (facts.h), so each atom is one
//     well-defined array. Input claims are what the input relations determine, or the parts of a
//     sum that they leave free (inputs.cpp).
//  2. Claims hold, by induction over the joint execution order (collectives.cpp shows that there is
//  one): each operator's
//     output is computed from the operands' claims and compared with its own claim, at every
//     element.
//  3. "At every element" is decided region by region (regions.h). A region is a box of digits on
//  which every coordinate,
//     tile choice and address of both sides is affine in the digits; a region on which something is
//     not affine is split until it is. Two affine functions of a box are equal if and only if they
//     agree at its first element and on one step along each digit: that is what is compared. No
//     element is skipped: the regions partition the tensor.
//  4. Two sums are equal when their difference vanishes as a formal sum over atoms (sums.h). That
//  is sufficient, never
//     necessary: a wrong certificate cannot pass, a right one may fail and is then reported as an
//     internal error.
//  5. Relations of the outputs are clean expressions evaluated over claims that hold.
//  6. Atoms that are equal by lemmas are shown to be: each proof is replayed step by step, from the
//  text of the lemmas (lemmas.h). The lemmas themselves are trusted as far as they are certified.
//  7. Two assumptions of the report are held to what they say: random draws agree, sample by sample
//  (random_draws.cpp); an index of the
//     sequential program lies in its table, and then so does each of the ranks' (indices.cpp).
CheckResult check_certificate(const Case& refinement, const CoreProgram& sequential,
                              const std::vector<CoreProgram>& ranks, const Certificate& certificate,
                              Replayed what = Replayed::kProof, const LemmaTable& lemmas = {});

}  // namespace assay
