// Where along the forward pass of a training step each operator belongs: a backward operator beside
// the forward operators whose results it reads, an optimizer's beside those that read its weight.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// Nodes before the first one of a backward pass; all, where there is none.
int32_t forward_length(const Graph& graph);

// Per node, a position in [0, forward_length). That of a node before the first backward one is its
// index. A later node has one of its operands', small ones left out: in a backward pass the
// earliest position at which the forward pass read one last (or, where it did not, at which it was
// made), elsewhere the latest at which one was made (an input: first read). `bytes`: per tensor.
std::vector<int32_t> forward_positions(const Graph& graph, const std::vector<int64_t>& bytes);

}  // namespace assay
