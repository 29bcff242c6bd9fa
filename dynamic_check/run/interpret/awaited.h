// Where a run of captured graphs waits for a collective.
#pragma once

#include <vector>

#include "shared_ir/graph.h"

namespace assay {

class DeclaredOperators;  // declared_operators.h

// Per node, the first node that is not come to before the collective of that node is done: one that
// reads what it gives, wait_tensor above all, or awaits its work (Node::awaits). The next one where
// nobody waits for it, and after what is no collective.
std::vector<NodeId> awaited_before(const Graph& graph, const DeclaredOperators* declared);

}  // namespace assay
