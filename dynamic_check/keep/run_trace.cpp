#include "dynamic_check/keep/run_trace.h"

#include <utility>

#include "dynamic_check/keep/tensor_trace.h"

namespace assay {

RunTrace::RunTrace(const std::filesystem::path& file, const Graph& graph, TraceRun run)
    : graph_(graph), writer_(file, std::move(run)), written_(graph.tensors.size()) {}

void RunTrace::add(TensorId id, const at::Tensor& tensor) {
  const auto index = static_cast<size_t>(id);
  if (written_[index]) return;
  written_[index] = true;
  const Tensor& described = graph_.tensors[index];
  TracedTensor traced;
  traced.name = described.name;
  if (described.producer != kNone) {
    const Node& node = graph_.nodes[static_cast<size_t>(described.producer)];
    traced.op = node.op;
    traced.source = to_string(SourcePlace{node.source.file, node.source.line});
  }
  add_tensor(writer_, std::move(traced), tensor);
}

void RunTrace::add_all(const std::vector<at::Tensor>& tensors) {
  for (size_t id = 0; id < tensors.size(); ++id)
    if (tensors[id].defined()) add(static_cast<TensorId>(id), tensors[id]);
}

void RunTrace::add_outputs(NodeId node, std::span<const at::Tensor> outputs) {
  const std::vector<TensorId>& ids = graph_.nodes[static_cast<size_t>(node)].outputs;
  for (size_t i = 0; i < ids.size() && i < outputs.size(); ++i)
    if (ids[i] != kNone && outputs[i].defined()) add(ids[i], outputs[i]);
}

}  // namespace assay
