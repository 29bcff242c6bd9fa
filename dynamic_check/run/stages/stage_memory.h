// What the stages of a plan take, from the sizes of tensors alone.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamic_check/run/stages/stage_plan.h"
#include "shared_ir/graph.h"

namespace assay {

struct TensorMemory {
  std::vector<int64_t> bytes;  // per tensor, of its elements
  std::vector<bool> views;     // per node: its outputs share the memory of its first operand
};

// The most bytes that tensors of the graph take at one time, per stage. Views take nothing, and
// keep what they view; a copy in another stage takes its own elements. What a kernel needs besides
// operands and results is left out.
std::vector<int64_t> peak_bytes(const Graph& graph, const TensorMemory& memory,
                                const StagePlan& plan);

}  // namespace assay
