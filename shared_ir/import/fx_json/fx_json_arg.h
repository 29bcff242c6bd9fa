// Arguments of fx-JSON nodes.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "shared_ir/graph.h"
#include "shared_ir/import/json_text.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay::fx {

using namespace json;  // NOLINT: fx-JSON is JSON

// What an argument needs to know about the node that it belongs to.
struct ArgContext {
  const Text& text;
  std::string_view node;
  // Size that a {"node": NAME} means; nullopt when it is a tensor or nothing.
  std::function<std::optional<Int>(std::string_view name)> integer;
  // Tensor that it means; throws UserError when there is none. Integers that depend on values are
  // arguments of unbacked.h.
  std::function<TensorId(std::string_view name)> tensor;
  // The argument of unbacked.h that stands for it.
  std::function<TensorId(SymbolExpr size)> unbacked;
  const SymbolValues& symbols;
};

// Throws UserError at the node for anything that is no argument.
Arg read_arg(const Json& json, const ArgContext& context);

}  // namespace assay::fx
