// Arguments of fx-JSON nodes.
#pragma once

#include <functional>
#include <string>

#include "shared_ir/graph.h"
#include "shared_ir/import/fx_json_text.h"

namespace assay::fx {

// What an argument needs to know about the node that it belongs to.
struct ArgContext {
  const Text& text;
  const std::string& node;
  // Tensor that a {"node": NAME} means; throws UserError when there is none.
  std::function<TensorId(const std::string& name)> tensor;
};

// Throws UserError at the node for anything that is no argument.
Arg read_arg(const Json& json, const ArgContext& context);

// `name_of` gives the name of a tensor.
Json write_arg(const Arg& arg, const std::function<std::string(TensorId)>& name_of);

}  // namespace assay::fx
