// Arguments of a node by the parameters of its declaration, as the graph has them.
#pragma once

#include <optional>

#include "shared_ir/graph.h"
#include "shared_ir/lower/declare/declaration.h"

namespace assay::lowering {

// A literal as a graph has it; nullopt for tensors and lists.
std::optional<Arg> arg_of(const Value& value);

// What the node gives for the declaration's parameter: positional, by keyword, or its default;
// nullopt where that is a list.
std::optional<Arg> argument_of(const OperatorDeclaration& declaration, const Node& node,
                               size_t parameter);

}  // namespace assay::lowering
