// How far rounding moves what the ranks compute, where they compute it in another way than the
// sequential program does.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

// The ranks' noise may be as many times what the sequential program justifies: both are estimated
// by a few samples, of programs that round at other places.
inline constexpr double kSameNoise = 4;

// Told of a target, by its index in Targets::list, one sample of its noise.
using RankNoise = std::function<void(size_t target, const at::Tensor& moved)>;

// Tells per target options.samples tensors: a replica of it rebuilt from a float64 run of the
// ranks' graphs with noise (perturbed_run.h), less the same without. None where it is not floating
// or cannot be rebuilt; fewer when the graphs cannot be interpreted to the end: returns why, else
// nothing. What the ranks
// compute wrongly is wrong in both runs and leaves no trace. No more than one run is in memory at a
// time.
std::string rank_noise(const Case& refinement, const Targets& targets, const RunInputs& inputs,
                       const DynamicOptions& options, const RankNoise& told);

}  // namespace assay
