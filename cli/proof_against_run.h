// What a run of a proved case means beside its proof.
#pragma once

#include "shared_ir/case/case.h"
#include "shared_ir/proof/proof.h"
#include "shared_ir/report/report.h"

namespace assay::cli {

// Runs a proved case once, by the witness module, and fills in what came of it. A proof that the
// programs' own values contradict is the worst error there is: throws InternalError; but not where
// they contradict what it assumes, or rounding explains it.
void hold_against_run(const Case& refinement, const Certificate& certificate, CaseReport* report);

}  // namespace assay::cli
