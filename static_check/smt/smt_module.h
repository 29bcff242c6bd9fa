// What the module libassay_smt.so offers to the solver (solver.h).
#pragma once

#include <cstdint>

#include "static_check/smt/solver.h"

namespace assay {

inline constexpr const char* kSmtModule = "assay_smt";
inline constexpr const char* kDecidePartition = "assay_smt_decide_partition";

// Precondition: as checked by Solver::decide.
using DecidePartition = Answer(const PartitionQuery& query, int64_t limit_ms);

}  // namespace assay

extern "C" assay::DecidePartition assay_smt_decide_partition;
