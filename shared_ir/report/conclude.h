// What the proof and the run say together (DESIGN, section 5, triage).
#pragma once

#include "shared_ir/case.h"
#include "shared_ir/report.h"

namespace assay {

// True when every output that the proof leaves open, and every expectation that fails, is of a
// tensor that the user accepts without proof.
bool accepted(const StaticReport& proof, const std::optional<Accepted>& accept);

// Fills in the case's verdict and exit code from its static and dynamic reports. A deviation
// refutes whatever the proof says: it is a witness. A run within tolerance proves nothing: the
// proof's verdict stands.
void conclude(CaseReport& report, const std::optional<Accepted>& accept);

}  // namespace assay
