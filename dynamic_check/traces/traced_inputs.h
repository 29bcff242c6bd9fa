// What a run gave to the graphs of a case, from its traces.
#pragma once

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/traces/trace_set.h"
#include "shared_ir/case/case.h"

namespace assay {

// The inputs of the sequential graph, as in the base, and those of the ranks' graphs. Throws
// UserError, naming the trace, when one is missing.
RunInputs traced_inputs(const Case& refinement, const TraceSet& traces);

}  // namespace assay
