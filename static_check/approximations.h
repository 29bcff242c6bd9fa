// Accepted approximations in a check: whether they are needed, and what their operators read.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/case/approximation.h"
#include "shared_ir/report/report.h"
#include "static_check/problem/problem.h"

namespace assay {

// An operand of a rank's approximated operator that is not rearranged from what the sequential
// operator reads.
struct ForeignOperand {
  size_t approximation;  // index into Case::approximations
  CleanExpr operand;     // NAME@RANK
};

// How the ranks' operands are made of the sequential ones (leaves at rank 0), one list an
// approximation, in the order of ApproximatedOperands::ranks; what is not goes to `foreign`.
std::vector<std::vector<CleanExpr>> rearranged_operands(
    Problem& problem, const std::vector<ApproximatedOperands>& operands,
    std::vector<ForeignOperand>& foreign);

// The approximation, as reports list it; `refinement` is the case that accepts it.
ApproximationReport report_of(const Case& refinement, const Approximation& approximation);

// Why an approximation is no excuse: what its operator reads on a rank is something else.
FailureReport diagnose_foreign_operand(const Case& refinement, const ForeignOperand& foreign,
                                       const ApproximatedOperands& operands);

// Throws UserError, at the approximation's place: it would hide what is right anyway.
[[noreturn]] void refuse_needless(const Approximation& approximation, const std::string& why);

}  // namespace assay
