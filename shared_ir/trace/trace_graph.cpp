#include "shared_ir/trace/trace_graph.h"

#include <charconv>

namespace assay {
namespace {

// "file:line" as traces have it; a text without a line is a file.
SourcePlace place_of(const std::string& source) {
  const size_t colon = source.rfind(':');
  if (colon == std::string::npos) return {source};
  int64_t line = 0;
  const char* end = source.data() + source.size();
  const auto [stop, error] = std::from_chars(source.data() + colon + 1, end, line);
  if (error != std::errc() || stop != end) return {source};
  return {source.substr(0, colon), line};
}

}  // namespace

Graph graph_of(const std::vector<TracedTensor>& tensors, const std::string& name) {
  Graph graph;
  graph.name = name;
  for (const TracedTensor& traced : tensors) {
    const auto id = static_cast<TensorId>(graph.tensors.size());
    Tensor tensor{traced.name, traced.dtype, traced.shape};
    if (traced.op.empty()) {
      graph.inputs.push_back(id);
    } else {
      tensor.producer = static_cast<NodeId>(graph.nodes.size());
      Node node;
      node.op = traced.op;
      node.outputs = {id};
      node.source = place_of(traced.source);
      graph.nodes.push_back(std::move(node));
    }
    graph.by_name.emplace(traced.name, id);
    graph.tensors.push_back(std::move(tensor));
  }
  return graph;
}

}  // namespace assay
