// Matches a node's arguments with its declaration's parameters.
#pragma once

#include <vector>

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/lower/declare/declaration.h"

namespace assay::lowering {

// One value per parameter: positional, by keyword, or its default. Throws UserError at the node for
// a missing, repeated or unknown argument. Keywords that place memory (device, layout, pin_memory,
// ...) mean nothing here and are dropped.
std::vector<Value> bind_arguments(const Site& site, const OperatorDeclaration& declaration,
                                  const std::vector<CoreId>& value_of);

}  // namespace assay::lowering
