// Operators that are collectives under another name.
#pragma once

#include <optional>

#include "shared_ir/graph.h"
#include "shared_ir/lower/declare/declaration.h"

namespace assay::lowering {

// The node as PyTorch's functional collective (operators/collective.toml), where its declaration is
// one collective of the node's own arguments and of literals, and nothing else. `node` calls the
// declared operator.
std::optional<Node> functional_collective(const OperatorDeclaration& declaration, const Node& node);

}  // namespace assay::lowering
