// A second estimate of how far a correct program may deviate, where something does.
#pragma once

#include <vector>

#include "dynamic_check/check.h"
#include "dynamic_check/compare/tensor_comparison.h"
#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/targets.h"

namespace assay {

// Raises the spread of each reference (as Targets::list) to that of options.samples perturbed runs
// in float64 of the sequential graph, and to that of as many of the ranks' (rank_noise.h). In the
// run's own precision the errors of a few operations lie on a grid, and all samples of a small
// block can have the same; a perturbation in exact arithmetic has no grid. Ranks that compute a
// value in another way round in other places. Of `inputs` both sides' tensors count, and of
// `options` precision, seed, samples and stages. Throws UserError as interpret() does for the
// sequential graph; where the ranks' cannot be interpreted, they raise nothing.
void raise_by_graphs(std::vector<ExpectedTensor>& references, const Case& refinement,
                     const Targets& targets, const RunInputs& inputs,
                     const DynamicOptions& options);

}  // namespace assay
