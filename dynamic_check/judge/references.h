// The sequential side of a check: exact values, an ordinary run, and the spread of perturbed runs,
// of every target.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

struct References {
  std::vector<ExpectedTensor> tensors;  // as Targets::list
  std::optional<RunFailure> failure;    // the sequential program did not run through
  std::vector<std::string> incomplete;  // further runs that failed, and why
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

// Raises spreads where a tensor deviates, as one that was underestimated is no finding: to those of
// as many perturbed runs in float64 of the sequential graph, with its sums in any order
// (raise_spreads.h), and then, within limits, of the ranks' (rank_noise.h). Where the sequential
// program's kernels had several threads, and ranks may have fewer, as many perturbed runs on one
// thread raise them as well: sums are longer chains there, and round more. So do, in a float8 run
// and where a program casts to float8, ten times as many perturbed runs. What fails of these is in
// References::incomplete.
void add_exact_samples(References& references, const Case& refinement, const Targets& targets,
                       const Programs& programs, const RunInputs& inputs,
                       const DynamicOptions& options);

}  // namespace assay
