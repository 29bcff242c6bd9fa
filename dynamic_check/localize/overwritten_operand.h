// Whether an operator's wrong result comes from another one that wrote into its own operand.
#pragma once

#include <optional>

#include "dynamic_check/localize/operator_check.h"

namespace assay {

// `fault`: of the graph of fault.rank, found on `recorded`, which holds what each operator's
// operands were when they were made. The faulty operator is right on an operand that has become the
// result of an earlier operator which reads it too: that one computes in place where it must not,
// and the fault is its own. nullopt where no such operator explains the result.
std::optional<OperatorFault> overwritten_operand(const Graph& graph, const OperatorFault& fault,
                                                 const TensorLookup& recorded,
                                                 const OperatorCheckOptions& options);

}  // namespace assay
