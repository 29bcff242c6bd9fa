// Nodes of fx-JSON that are no tensors, but sizes that depend on values, and assertions about them.
// How {"sym": "u0"} itself is read: fx_json_arg.h.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "shared_ir/import/fx_json/fx_json_arg.h"
#include "shared_ir/import/fx_json/fx_json_node.h"
#include "shared_ir/import/unbacked/unbacked.h"

namespace assay::fx {

class UnbackedSizes {
 public:
  UnbackedGraph graph;  // its graph is not filled in

  // Whether the node is one of these; `made`: the node of the graph that it is, if any. Throws
  // UserError at the node where it is malformed.
  bool read(const NodeView& node, const ArgContext& context, std::optional<Node>& made);
  // The last one that was made is the graph's node `id`.
  void remember(const NodeView& node, NodeId id);

  TensorId add(SymbolExpr size);
  // What stands for a node of that name as an argument, if it is a size.
  std::optional<TensorId> find(std::string_view name) const;

 private:
  Node item(const NodeView& node, const ArgContext& context, const SymbolExpr& size) const;
  std::optional<Node> assertion(const NodeView& node, const ArgContext& context) const;

  std::unordered_map<std::string_view, TensorId> sizes_;        // by node
  std::unordered_map<std::string_view, NodeView> comparisons_;  // of such
};

}  // namespace assay::fx
