// Losses that differ where targets are ignored.
#pragma once

#include "shared_ir/proof/proof.h"
#include "static_check/domains/ignored_targets.h"
#include "static_check/problem/problem.h"

namespace assay {

// Of a proof that takes no target to be ignored, though a rank has a loss that ignores some
// (`ignoring`). `exact`: the same programs read exactly, lifted. Throws UserError at that loss
// where both programs give a number for some targets that are ignored, and not the same.
void refuse_other_losses(const Problem& exact, const Certificate& proof, const RankLoss& ignoring);

}  // namespace assay
