// What the assumptions of single operators would hide.
#pragma once

#include "static_check/domains/ignored_targets.h"
#include "static_check/domains/lost_writes.h"
#include "static_check/domains/undefined_outputs.h"

namespace assay {

// Of a proof. Throws UserError as the functions do that it calls.
inline void refuse_what_assumptions_hide(const Problem& problem, const Certificate& certificate) {
  refuse_undefined_outputs(problem, certificate);
  refuse_lost_writes(problem);
  refuse_ignored_targets(problem);
}

}  // namespace assay
