#include "shared_ir/case/case.h"
#include "shared_ir/import/hlo/hlo.h"

namespace assay {

bool make_input(Graph& graph, TensorId tensor) {
  const NodeId producer = graph.tensors[static_cast<size_t>(tensor)].producer;
  if (producer == kNone) return true;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  const bool lost = node.op.starts_with("aten.empty") || node.op.starts_with("aten.new_empty") ||
                    node.op == kElidedConstantOp;
  if (!lost || node.outputs.size() != 1) return false;
  graph.nodes.erase(graph.nodes.begin() + producer);
  for (Tensor& other : graph.tensors) {
    if (other.producer > producer) --other.producer;
  }
  graph.tensors[static_cast<size_t>(tensor)].producer = kNone;
  graph.inputs.push_back(tensor);
  return true;
}

}  // namespace assay
