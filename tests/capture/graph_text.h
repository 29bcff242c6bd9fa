// Captured graphs as text, for expectations: one line a node, "mm[8, 256] = aten.mm.default(x, t)".
#pragma once

#include <string>

#include "shared_ir/graph.h"

namespace assay::test {

// Without sources and modules, which tests look at one by one.
std::string to_text(const Graph& graph);

// Operator names alone, one a line.
std::string operator_list(const Graph& graph);

// The node that makes a tensor. Fails the test by an exception when there is none.
const Node& producer(const Graph& graph, const std::string& tensor);

}  // namespace assay::test
