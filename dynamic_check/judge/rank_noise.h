// How far rounding moves what the ranks compute, where they compute it in another way than the
// sequential program does.
#pragma once

#include <string>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

// The ranks' noise may be as many times what the sequential program justifies: both are estimated
// by a few samples, of programs that round at other places.
inline constexpr double kSameNoise = 4;

// Raises each spread, after all that the sequential program justifies, to that of as many perturbed
// runs of the ranks' graphs, where that is kSameNoise times as much at most: ranks that compute a
// value in another way round in other places. Where they lose more than that, nothing of it is a
// tolerance, and how many times as large their noise is is ExpectedTensor::excess_noise: then what
// the sequential program justifies is all that is allowed. Returns why these runs could not be
// made; empty where they could.
std::string raise_by_ranks(std::vector<ExpectedTensor>& references, const Case& refinement,
                           const Targets& targets, const RunInputs& inputs,
                           const DynamicOptions& options);

}  // namespace assay
