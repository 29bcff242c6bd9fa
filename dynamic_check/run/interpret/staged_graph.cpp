#include "dynamic_check/run/interpret/staged_graph.h"

#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>

#include <utility>

#include "dynamic_check/run/interpret/collective_node.h"
#include "dynamic_check/run/interpret/rank_interpreter.h"
#include "dynamic_check/run/stages/plan_stages.h"

namespace assay {
namespace {

void refuse_what_only_programs_do(const Graph& graph, const DeclaredOperators* declared) {
  for (const Node& node : graph.nodes) {
    if (collective_of(node, declared)) {
      throw UserError(
          node.source,
          fmt::format("{} communicates: a reference runs in stages only where it is one "
                      "program on its own",
                      node.op));
    }
    if (draws(node)) {
      throw UserError(node.source,
                      fmt::format("{} draws random numbers: a reference in stages runs from its "
                                  "graph, which does not say which",
                                  node.op),
                      "make the numbers an input of both programs, or run without stages");
    }
  }
}

// A result that shares memory with an operand, though the operator is no view, is a copy here, as
// the observer may write into it.
void own(std::vector<at::Tensor>& outputs, at::Device device) {
  for (at::Tensor& output : outputs) {
    if (!output.defined()) continue;
    if (output.device() != device)
      output = output.to(device);  // made of numbers alone
    else if (output.use_count() > 1 || output.storage().use_count() > 1)
      output = output.clone();
  }
}

}  // namespace

TensorMemory tensor_memory(const Graph& graph, Arithmetic arithmetic) {
  TensorMemory memory;
  for (const Tensor& tensor : graph.tensors) {
    const bool widens = arithmetic == Arithmetic::kFloat64 && is_floating(tensor.dtype);
    const size_t bytes = byte_size(widens ? DType::kFloat64 : tensor.dtype);
    memory.bytes.push_back(element_count(tensor.shape) * static_cast<int64_t>(bytes));
  }
  for (const Node& node : graph.nodes) memory.views.push_back(is_view_operator(node));
  return memory;
}

StagedGraph::StagedGraph(Graph graph, std::vector<at::Device> devices, Arithmetic arithmetic,
                         std::shared_ptr<const DeclaredOperators> declared)
    : graph_(std::move(graph)),
      devices_(std::move(devices)),
      arithmetic_(arithmetic),
      declared_(std::move(declared)),
      plan_(plan_stages(graph_, tensor_memory(graph_, arithmetic),
                        static_cast<int32_t>(devices_.size()))) {
  refuse_what_only_programs_do(graph_, declared_.get());
}

std::vector<int64_t> StagedGraph::run(const StagedValues::Source& inputs,
                                      const Observer& observer) const {
  const auto kernel = [&](NodeId id, const TensorLookup& operands, at::Device device) {
    const Node& node = graph_.nodes[static_cast<size_t>(id)];
    const c10::DeviceGuard guard(device);
    std::vector<at::Tensor> outputs =
        run_operator(graph_, node, operands, arithmetic_, declared_.get());
    if (outputs.size() > node.outputs.size()) outputs.resize(node.outputs.size());
    if (!is_view_operator(node)) own(outputs, device);
    observer(id, outputs, operands);
    return outputs;
  };
  RankInterpreter interpreter(graph_, StagedValues(plan_, devices_, graph_.tensors.size(), inputs),
                              kernel);
  interpreter.advance();
  return interpreter.values().peak_bytes();
}

}  // namespace assay
