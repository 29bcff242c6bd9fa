// What findings mean, given what the proof said (DESIGN, section 5).
#pragma once

#include "dynamic_check/findings.h"
#include "dynamic_check/targets.h"
#include "shared_ir/case.h"
#include "shared_ir/report.h"
#include "shared_ir/verdict.h"

namespace assay {

// Fills in the report's verdict, counts, tolerances, first deviation and triage.
void triage(const Findings& findings, const Case& refinement, const Targets& targets,
            Verdict static_verdict, DynamicReport& report);

}  // namespace assay
