// The search for a witness as the report's dynamic part.
#pragma once

#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

// Runs both sides of the case in float64 on random inputs that satisfy its input relation:
// kDeviates with the first deviation when an expectation differs (a witness), kInconclusive with it
// where rounding explains it, kAgrees when none differs. Throws UserError when an operator cannot
// be run.
DynamicReport witness_report(const Case& refinement);

// Runs a case that was proved once, in float64 with PyTorch's kernels and its memory, at its own
// sizes where that takes a part of a second, else at smaller ones, and compares its expectations
// and what the proof says of its outputs: `proved`. kDeviates: the proof is wrong, an error of
// ours, unless the triage names rounding. Throws UserError, with the reason, where the case cannot
// be run, is too large, or draws random numbers, which no two runs have in common.
DynamicReport run_of_proof(const Case& refinement, const std::vector<Relation>& proved);

}  // namespace assay
