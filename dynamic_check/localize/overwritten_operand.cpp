#include "dynamic_check/localize/overwritten_operand.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic_check/kernels/kernels.h"

namespace assay {
namespace {

// An output of the node that fits into the tensor's memory; kNone where none does.
TensorId fitting_output(const Graph& graph, const Node& node, TensorId tensor) {
  const Tensor& memory = graph.tensors[static_cast<size_t>(tensor)];
  for (const TensorId id : node.outputs) {
    if (id == kNone) continue;
    const Tensor& output = graph.tensors[static_cast<size_t>(id)];
    if (output.shape == memory.shape && output.dtype == memory.dtype) return id;
  }
  return kNone;
}

bool reads(const Node& node, TensorId tensor) {
  const std::vector<TensorId> operands = tensor_arguments(node);
  return std::find(operands.begin(), operands.end(), tensor) != operands.end();
}

}  // namespace

std::optional<OperatorFault> overwritten_operand(const Graph& graph, const OperatorFault& fault,
                                                 const TensorLookup& recorded,
                                                 const OperatorCheckOptions& options) {
  const Node& faulty = graph.nodes[static_cast<size_t>(fault.node)];
  for (const TensorId operand : tensor_arguments(faulty)) {
    for (NodeId earlier = fault.node - 1; earlier >= 0; --earlier) {
      const Node& writer = graph.nodes[static_cast<size_t>(earlier)];
      if (!reads(writer, operand)) continue;
      const TensorId result = fitting_output(graph, writer, operand);
      if (result == kNone || !recorded(result).defined()) continue;
      const TensorLookup overwritten = [&](TensorId id) {
        return recorded(id == operand ? result : id);
      };
      if (check_operator(graph, fault.rank, fault.node, overwritten, options).fault) continue;
      OperatorFault found = fault;
      found.kind = OperatorFault::Kind::kKernel;
      found.node = earlier;
      found.output = result;
      found.detail = fmt::format(
          "writes its result into its operand {}, which {} ({}) reads afterwards",
          graph.tensors[static_cast<size_t>(operand)].name, faulty.op, to_string(faulty.source));
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace assay
