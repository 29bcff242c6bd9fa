#include "shared_ir/site.h"

#include <fmt/format.h>

namespace assay::lowering {

std::string node_name(const Graph& graph, const Node& node) {
  for (TensorId output : node.outputs)
    if (output != kNone) return graph.tensors[output].name;
  return node.op;
}

void Site::fail(const std::string& message, const std::string& hint) const {
  if (node == nullptr) throw UserError({}, fmt::format("{}: {}", graph->name, message), hint);
  throw UserError(node->source,
                  fmt::format("{}: node '{}' ({}): {}", graph->name, node_name(*graph, *node),
                              node->op, message),
                  hint);
}

}  // namespace assay::lowering
