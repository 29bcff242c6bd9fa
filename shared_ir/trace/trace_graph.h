// What a trace says of its program, as a graph.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/trace/trace.h"

namespace assay {

// The tensors in the order in which they were made, each made by a node of its own. What operators
// read is not in a trace: nodes have no arguments. `name`: of the graph, for messages.
Graph graph_of(const std::vector<TracedTensor>& tensors, const std::string& name);

}  // namespace assay
