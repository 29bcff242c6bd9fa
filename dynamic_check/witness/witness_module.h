// The entries of the witness module, build/modules/libassay_witness.so, which the command line
// loads when it needs LibTorch.
#pragma once

#include <vector>

#include "dynamic_check/traces/traces.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

inline constexpr char kWitnessModule[] = "assay_witness";
inline constexpr char kWitnessEntry[] = "assay_witness";

// witness_report (witness_report.h), into `report`.
using WitnessFunction = void(const Case& refinement, DynamicReport& report);

inline constexpr char kProofRunEntry[] = "assay_run_of_proof";

// run_of_proof, into `report`.
using ProofRunFunction = void(const Case& refinement, const std::vector<Relation>& proved,
                              DynamicReport& report);

inline constexpr char kCompareEntry[] = "assay_compare";

// compare_traces, into `report`.
using CompareFunction = void(const TraceComparison& question, DynamicReport& report);

}  // namespace assay
