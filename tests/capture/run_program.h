// Programs on real CPU tensors, to hold their captured graphs against.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "shared_ir/capture/capture.h"

namespace assay::test {

struct Run {
  Graph graph;
  std::map<TensorId, at::Tensor>
      values;  // inputs and each observed output, copied when it was there
};

// Runs a sequential program (no mesh) under a recording, on random inputs (integers: 0 or 1).
// `expected`: as of RecordingOptions.
Run run_program(const CaptureSpec& inputs, const RankProgram& program,
                const Graph* expected = nullptr);

// Computes the graph from the run's inputs with one dispatcher call a node, and expects the values
// that the run observed, for every tensor of the graph.
void expect_graph_computes(const Run& run);

// Captures and runs the program; expects the same nodes, and a graph that computes what the program
// computed. Returns the captured graph.
Graph capture_and_check(const CaptureSpec& inputs, const RankProgram& program);

}  // namespace assay::test
