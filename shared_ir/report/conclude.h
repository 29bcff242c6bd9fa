// What the proof and the run say together (docs/architecture.md).
#pragma once

#include <cstdint>

#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

// Whether the check was to run the programs, or is content with the proof; beside: the caller holds
// the proof against a run, and says what came of it.
enum class RunAsked : uint8_t { kNo, kBeside, kYes };

// Fills in the case's verdict and exit code from its static and dynamic reports. A deviation
// refutes whatever the proof says: it is a witness. A run that agrees proves nothing: the proof's
// verdict stands. A run that was asked for and is missing passes nothing; where none was asked for,
// a note says that the proof is all there is.
void conclude(CaseReport& report, const std::optional<Accepted>& accept, RunAsked asked);

// The same where nothing was to be proved: a run that agrees passes, and leaves the case unproved.
void conclude_run_alone(CaseReport& report);

}  // namespace assay
