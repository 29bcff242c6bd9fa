// How a graph runs in stages, each in a memory of its own: which node runs in which, and how long
// what it reads and makes stays there.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// A tensor lies in the stage that makes it (an input: that reads it first) from then until it is
// last read there or copied from there; in every other stage that reads it, from when it is first
// read there, and copied, until it is last read there.
struct StagePlan {
  struct Piece {
    int32_t stage;
    TensorId tensor;
  };
  std::vector<int32_t> stage_of;              // per node: where it runs, from 0
  std::vector<std::vector<Piece>> last_uses;  // per node: what goes when it has run
  int32_t stages = 1;
};

// `stage_of`: per node. Tensors for which `kept` holds stay to the end; none, where it is empty.
StagePlan plan_of(const Graph& graph, std::vector<int32_t> stage_of, int32_t stages,
                  const std::function<bool(TensorId)>& kept = {});

}  // namespace assay
