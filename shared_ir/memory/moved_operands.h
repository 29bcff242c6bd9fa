// Which operands a call's results are, as its declaration has it.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/lower/node/meaning.h"
#include "shared_ir/memory/moved_views.h"

namespace assay::memory {

struct MovedOperand {
  TensorId operand;
  Movements movements;
};

// For each return of the node at `context.site`, the operand that it is by movements alone; nullopt
// where it is something else, or the declaration does not say. `values` as for declared_results().
std::vector<std::optional<MovedOperand>> moved_operands(const lowering::Context& context,
                                                        const OperatorDeclaration& declaration,
                                                        const lowering::Recorded& recorded,
                                                        const std::vector<CoreId>& values);

}  // namespace assay::memory
