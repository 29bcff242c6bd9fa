// Lowering of captured operators to core operators, by their declarations (operators/*.toml).
#pragma once

#include "shared_ir/core.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {

// Lowers the whole graph of `rank`. Checks every attribute and shape, of dead code too: an argument
// that does not fit its declaration, or a recorded shape or dtype that differs from what the
// declaration gives, is a UserError at the node's source line that names graph and node. An
// undeclared operator becomes kOpaque. An operator without results that are used is left out, but
// for those that communicate. Collectives find their members in `groups`; throws UserError
// when a group is unknown or does not contain `rank`.
CoreProgram lower(const Graph& graph, const Groups& groups, Rank rank,
                  const OperatorTable& operators);

}  // namespace assay
