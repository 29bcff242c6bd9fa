// Runs a graph on several devices, each of which holds a part of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/interpret/staged_values.h"
#include "dynamic_check/run/stages/stage_memory.h"
#include "shared_ir/graph.h"

namespace assay {

// What the tensors of a graph take when it runs in that arithmetic.
TensorMemory tensor_memory(const Graph& graph, Arithmetic arithmetic);

class StagedGraph {
 public:
  // Told each node with its outputs (undefined where unused), which it may overwrite in place, and
  // with its operands, all on the device of its stage.
  using Observer = std::function<void(NodeId, std::span<const at::Tensor> outputs,
                                      const TensorLookup& operands)>;

  // One stage a device; the same device may have several. Throws UserError for a graph that cannot
  // run so: one that communicates, or that draws random numbers, which its program would draw
  // otherwise.
  StagedGraph(Graph graph, std::vector<at::Device> devices, Arithmetic arithmetic,
              std::shared_ptr<const DeclaredOperators> declared = nullptr);

  const Graph& graph() const { return graph_; }

  // Runs the graph once. `inputs` makes an input when it is first read, in the arithmetic of the
  // run (float64: widened()); what nobody reads any more is dropped. Returns the most bytes that
  // tensors took at one time, per stage. Throws UserError as run_operator().
  std::vector<int64_t> run(const StagedValues::Source& inputs, const Observer& observer) const;

 private:
  const Graph graph_;
  const std::vector<at::Device> devices_;
  const Arithmetic arithmetic_;
  const std::shared_ptr<const DeclaredOperators> declared_;
  const StagePlan plan_;
};

}  // namespace assay
