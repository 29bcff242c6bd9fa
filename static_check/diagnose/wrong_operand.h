// An operator of a rank that does what the sequential one does, on another tensor.
#pragma once

#include "shared_ir/report/report.h"
#include "static_check/diagnose/nearest.h"
#include "static_check/problem/problem.h"

namespace assay {

// Says in the report of sequential tensor `id` which operand is another: of the operator on the
// rank of `near`, from the same line of the program, that shares most operands with the sequential
// one. Returns false, and leaves the report as it is, where there is no such operator.
bool describe_wrong_operand(const Problem& problem, const RelationMap& relations, TensorId id,
                            const Nearest& near, FailureReport& report);

}  // namespace assay
