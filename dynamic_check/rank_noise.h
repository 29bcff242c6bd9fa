// How far rounding moves what the ranks compute, where they compute it in another way than the
// sequential program does.
#pragma once

#include <vector>

#include "dynamic_check/check.h"
#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/targets.h"

namespace assay {

// Per target, options.samples tensors: a replica of it rebuilt from a float64 run of the ranks'
// graphs with noise (perturbed_run.h), less the same without. None where it is not floating or
// cannot be rebuilt, or when the graphs cannot be interpreted. What the ranks compute wrongly is
// wrong in both runs and leaves no trace.
std::vector<std::vector<at::Tensor>> rank_noise(const Case& refinement, const Targets& targets,
                                                const RunInputs& inputs,
                                                const DynamicOptions& options);

}  // namespace assay
