// Runs of graphs in exact arithmetic that is disturbed as if every operation rounded.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "dynamic_check/run/interpret/interpreter.h"

namespace assay {

struct Noise {
  double relative = 0;  // the largest relative error of one rounding; 0: none
  uint64_t seed = 0;
  int sample = 0;        // samples of one seed are independent
  double sums = 0;       // the largest error of a sum, relative to its terms' magnitudes; 0: none
  bool kernels = false;  // what kernels are known to miss in float64 (operator_facts.h) besides
};

// A sample of the input's noise; integers and booleans as they are.
at::Tensor noisy_input(const std::string& name, const at::Tensor& value, const Noise& noise);

// True when the operator only moves, selects or compares values (operator_facts.h), or shares
// memory with an operand.
bool rounds_nothing(const Graph& graph, const Node& node);

// Per node: its floating results round (rounding.h).
std::vector<bool> rounding_nodes(const Graph& graph);

// A sample of the noise on output number `output` of the node. The same on all ranks, so that what
// they compute alike stays alike.
at::Tensor noisy_result(NodeId node, size_t output, const at::Tensor& value, const Noise& noise);

// The same, onto the output itself.
void add_noise(NodeId node, size_t output, const at::Tensor& value, const Noise& noise);

// As interpret(), with noise on every floating input and on every floating result that rounds.
// Large values that are wanted are kept copies (kept_copy.h): those of a deep model are too many
// for memory.
std::vector<Values> interpret_with_noise(const std::vector<Graph>& graphs, const Groups& groups,
                                         std::map<RankTensorName, at::Tensor> inputs,
                                         const Noise& noise, const Wanted& wanted = {},
                                         const DeclaredOperators* declared = nullptr,
                                         const Seen& seen = {});

}  // namespace assay
