// Cuts a graph that is too large for one device into stages.
#pragma once

#include "dynamic_check/run/stages/stage_memory.h"
#include "dynamic_check/run/stages/stage_plan.h"

namespace assay {

// Stage s has the nodes whose positions (forward_positions.h) lie between the cuts s - 1 and s, so
// that weights, what the forward pass saves of their layers, their gradients and their optimizer's
// states lie in one stage. The cuts make the largest stage as small as cuts can, by what lives at
// one time; what stages copy from each other, which is what crosses a cut, is not counted. Where a
// graph marks no backward pass, its nodes are cut in their order. Stages may be empty.
StagePlan plan_stages(const Graph& graph, const TensorMemory& memory, int32_t stages);

}  // namespace assay
