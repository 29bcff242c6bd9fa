// A replay of a case as the report's dynamic part.
#pragma once

#include "shared_ir/case.h"
#include "shared_ir/report.h"

namespace assay {

// Runs both sides of the case in float64 on random inputs that satisfy its input relation: kRefuted
// with the first deviation when an expectation differs (a witness), kProved when none was seen.
// Throws UserError when an operator cannot be run.
DynamicReport replay_report(const Case& refinement);

}  // namespace assay
