// Lowering of captured operators to core operators, by their declarations (operators/*.toml).
#pragma once

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {

// Whether a target of a loss may be its ignore_index where that is no class (-100). That none is,
// is an assumption, and noted.
enum class IgnoredTargets : uint8_t { kAllowed, kAssumedNone };

// Lowers the whole graph of `rank`. Checks every attribute and shape, of dead code too: an argument
// that does not fit its declaration, or a recorded shape or dtype that differs from what the
// declaration gives, is a UserError at the node's source line that names graph and node. An
// undeclared operator becomes kOpaque. An operator without results that are used is left out, but
// for those that communicate. Collectives find their members in `groups`; throws UserError
// when a group is unknown or does not contain `rank`.
CoreProgram lower(const Graph& graph, const Groups& groups, Rank rank,
                  const OperatorTable& operators,
                  IgnoredTargets ignored = IgnoredTargets::kAllowed);

// The same of a case's sequential program, of a rank's, and of all.
CoreProgram lower_sequential(const Case& refinement, const OperatorTable& operators);
CoreProgram lower_rank(const Case& refinement, Rank rank, const OperatorTable& operators);

struct LoweredCase {
  CoreProgram sequential;
  std::vector<CoreProgram> ranks;
};
LoweredCase lower(const Case& refinement, const OperatorTable& operators);

}  // namespace assay
