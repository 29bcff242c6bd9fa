// The sequential side of a check: exact values, an ordinary run, and the spread of perturbed runs,
// of every target.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "dynamic_check/check.h"
#include "dynamic_check/compare/tensor_comparison.h"
#include "dynamic_check/execute/run_failure.h"
#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/targets.h"

namespace assay {

struct References {
  std::vector<ExpectedTensor> tensors;  // as Targets::list
  std::optional<RunFailure> failure;    // the sequential program did not run through
  std::vector<int64_t> stage_bytes;  // per stage of DynamicOptions::reference_stages: held at most
};

// Runs the sequential program options.samples + 1 times (with options.reference_stages: its graph,
// in stages), and its graph once in float64. In a
// perturbed run every floating input, and every floating result that rounds (rounding.h), is
// multiplied by 1 + r, |r| < unit roundoff.
References make_references(const Case& refinement, const Targets& targets, const Programs& programs,
                           const RunInputs& inputs, const DynamicOptions& options);

// Of what is large, spreads have sketches (Spread::is_estimate). Makes those of these targets
// again, with exact values, by the same runs.
void make_exact(References& references, const std::set<size_t>& which, const Case& refinement,
                const Targets& targets, const Programs& programs, const RunInputs& inputs,
                const DynamicOptions& options);

// Raises each spread to that of as many perturbed runs in float64, of the sequential graph and of
// the ranks' (rank_noise.h). In the run's own precision the errors of a few operations lie on a
// grid, and all samples of a small block can have the same; a perturbation in exact arithmetic has
// no grid. Ranks that compute a value in another way round in other places. Where the sequential
// program's kernels had several threads, and ranks may have fewer, as many perturbed runs on one
// thread raise it as well: sums are longer chains there, and round more. So do, in a float8 run
// and where a program casts to float8, ten times as many perturbed runs. Needed where a tensor
// deviates: a spread that was underestimated is no finding.
void add_exact_samples(References& references, const Case& refinement, const Targets& targets,
                       const Programs& programs, const RunInputs& inputs,
                       const DynamicOptions& options);

}  // namespace assay
