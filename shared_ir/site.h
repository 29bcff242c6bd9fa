// Where lowering is: which node of which graph, for messages.
#pragma once

#include <string>

#include "shared_ir/graph.h"

namespace assay::lowering {

struct Site {
  const Graph* graph = nullptr;
  const Node* node = nullptr;  // nullptr: the graph as a whole

  // Throws UserError at the node's source line: "GRAPH: node 'NAME' (OP): message".
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
};

// The name of the node's first output that is used; its operator when none is.
std::string node_name(const Graph& graph, const Node& node);

}  // namespace assay::lowering
