// Targets that show again what one before them does (Targets::repeated).
#pragma once

#include "dynamic_check/relate/targets.h"
#include "shared_ir/case/case.h"

namespace assay {

// The operand of a view; kNone for any other tensor.
TensorId viewed(const Graph& graph, TensorId id);

// Takes them out of the list and notes their names.
void take_out_repeated(const Case& refinement, Targets& targets);

}  // namespace assay
