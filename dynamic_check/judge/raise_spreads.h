// A second estimate of how far a correct program may deviate, where something does.
#pragma once

#include <optional>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

// Of every floating reference with an exact value: the others do not deviate.
using Spreads = std::vector<std::optional<Spread>>;

// Without samples, for another estimate.
Spreads spreads_like(const std::vector<ExpectedTensor>& references);

// Raises the spread of each reference (as Targets::list) to that of options.samples perturbed runs
// in float64 of the sequential graph, in which sums are rounded as in any other order and in as
// many parts as there are ranks (reassociation.h). In the run's own precision the errors of a few
// operations lie on a grid, and all samples of a small block can have the same; a perturbation in
// exact arithmetic has no grid. Of `inputs` the sequential side's tensors count, and of `options`
// precision, seed, samples and stages. Throws UserError as interpret().
void raise_by_sequential_graph(std::vector<ExpectedTensor>& references, const Case& refinement,
                               const Targets& targets, const RunInputs& inputs,
                               const DynamicOptions& options);

}  // namespace assay
