// A second estimate of how far a correct program may deviate, where something does.
#pragma once

#include <string>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

// Raises the spread of each reference (as Targets::list) to that of options.samples perturbed runs
// in float64 of the sequential graph, in which sums are rounded as in any other order and in as
// many parts as there are ranks (reassociation.h). In the run's own precision the errors of a few
// operations lie on a grid, and all samples of a small block can have the same; a perturbation in
// exact arithmetic has no grid. Of `inputs` the sequential side's tensors count, and of `options`
// precision, seed, samples and stages. Throws UserError as interpret().
void raise_by_sequential_graph(std::vector<ExpectedTensor>& references, const Case& refinement,
                               const Targets& targets, const RunInputs& inputs,
                               const DynamicOptions& options);

// Raises each spread, after all that the sequential program justifies, to that of as many perturbed
// runs of the ranks' graphs, where that is kSameNoise (rank_noise.h) times as much at most: ranks
// that compute a value in another way round in other places. Where they lose more than that,
// nothing of it is a tolerance, and how many times as large their noise is is
// ExpectedTensor::excess_noise: then what the sequential program justifies is all that is allowed.
// Returns why these runs could not be made; empty where they could.
std::string raise_by_ranks(std::vector<ExpectedTensor>& references, const Case& refinement,
                           const Targets& targets, const RunInputs& inputs,
                           const DynamicOptions& options);

}  // namespace assay
