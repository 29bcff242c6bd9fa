// The entries of the replay module, build/modules/libassay_replay.so, which the command line loads
// when it needs LibTorch.
#pragma once

#include <vector>

#include "dynamic_check/traces/trace_comparison.h"
#include "shared_ir/case.h"
#include "shared_ir/report.h"

namespace assay {

inline constexpr char kReplayModule[] = "libassay_replay.so";
inline constexpr char kReplayEntry[] = "assay_replay";

// replay_report (replay/replay_report.h), into `report`.
using ReplayFunction = void (*)(const Case& refinement, DynamicReport& report);

inline constexpr char kProofRunEntry[] = "assay_run_of_proof";

// run_of_proof, into `report`.
using ProofRunFunction = void (*)(const Case& refinement, const std::vector<Relation>& proved,
                                  DynamicReport& report);

inline constexpr char kCompareEntry[] = "assay_compare";

// compare_traces, into `report`.
using CompareFunction = void (*)(const TraceComparison& question, DynamicReport& report);

}  // namespace assay
