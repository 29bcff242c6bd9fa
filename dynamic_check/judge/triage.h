// What findings mean, given what the proof said (docs/architecture.md).
#pragma once

#include "dynamic_check/judge/findings.h"
#include "dynamic_check/relate/relate.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"
#include "shared_ir/report/verdict.h"

namespace assay {

// Fills in the report's verdict, counts, tolerances, first deviation and triage.
void triage(const Findings& findings, const Case& refinement, const Targets& targets,
            Verdict static_verdict, DynamicReport& report);

}  // namespace assay
