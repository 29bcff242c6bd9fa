// Keeps what one run of a captured program makes as a trace, tensor by tensor as it is made.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <span>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/trace/trace_writer.h"

namespace assay {

// Every function throws UserError when the file cannot be written. One thread at a time.
class RunTrace {
 public:
  // `graph` must outlive this.
  RunTrace(const std::filesystem::path& file, const Graph& graph, TraceRun run);

  // An input of the graph, or what an operator made. Only the first of several calls for a tensor
  // counts.
  void add(TensorId id, const at::Tensor& tensor);

  // All tensors of a run, by TensorId; undefined ones are left out.
  void add_all(const std::vector<at::Tensor>& tensors);

  // A node's outputs; undefined ones are left out.
  void add_outputs(NodeId node, std::span<const at::Tensor> outputs);

  void finish() { writer_.finish(); }

 private:
  const Graph& graph_;
  TraceWriter writer_;
  std::vector<bool> written_;  // by TensorId
};

}  // namespace assay
