// Targets that a loss ignores.
#pragma once

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/problem/problem.h"

namespace assay {

// That no target is ignore_index, where this is no class (-100), is an assumption of every loss
// that is lowered. Throws UserError at the operator of a rank that contradicts it: one that
// asks whether a target is ignored or clamps targets to classes, or where the specification's mean
// over the targets that count meets a rank's loss over others or with another divisor (a mean of
// means: each part is divided by its own count).
void refuse_ignored_targets(const Problem& problem, const OperatorTable& operators);

}  // namespace assay
