// The float64 execution of a proof.
#pragma once

#include <cstdint>

#include "shared_ir/case/case.h"
#include "static_check/check.h"

namespace assay::test {

/// Runs both programs with the reference evaluator on random inputs that satisfy the case's input
/// relation (integers at and beside every bound that the programs know), and expects that
///  * every core operator has the value that the certificate claims for it,
///  * every relation holds, both ways,
///  * every expectation of a proved case holds.
/// Large tensors are compared at `samples` elements. Fails the test with the first operator of each
/// program that differs. For small shapes: the programs are run as written.
void expect_claims_hold(const Case& refinement, const StaticResult& result, uint64_t seed,
                        int64_t samples = 2000);

}  // namespace assay::test
