// The integers among a node's arguments.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// In order; those of lists as well.
std::vector<Int*> integers_of(Node& node);
std::vector<int64_t> integers_of(const Node& node);

// Replaces each by another argument.
void replace_integers(Node& node, const std::vector<Arg>& with);

// Whether the nodes are the same but for integers of arguments, and their results but for sizes;
// what differs otherwise, and nothing where nothing does.
std::string difference(const Graph& one, const Node& a, const Graph& other, const Node& b);

}  // namespace assay
