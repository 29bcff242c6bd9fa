// One run of the sequential program, or of its graph, as it goes: noise goes onto what it makes,
// and the targets and a trace take what they need of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/interpret/staged_graph.h"
#include "dynamic_check/run/perturbed_run.h"
#include "shared_ir/dtype.h"

namespace assay {

// What is done to the values of a run.
struct RunNoise {
  DType precision = DType::kFloat32;  // of the run; in float8, products are rounded to it
  Noise rounding = {};                // on floating inputs, and on results that round
  Noise products = {};                // on the factors of products, in a float8 run
};

class SequentialRun {
 public:
  // Targets are told on `device`.
  SequentialRun(Graph graph, RunNoise noise, const Targets& targets, TargetValues::Told told,
                at::Device device);

  // Keeps everything that the run makes. Throws UserError when the file cannot be written.
  void keep_trace(const std::filesystem::path& file, TraceRun run);

  const Graph& graph() const { return graph_; }

  // The input with its noise, in float64 in a float64 run.
  at::Tensor input(const std::string& name, const at::Tensor& value);

  // A value that the graph has given in a run of its own.
  void see(TensorId id, const at::Tensor& value);

  // A node has given these outputs, which take their noise in place, for these operands.
  void see_outputs(NodeId node, std::span<const at::Tensor> outputs, const TensorLookup& operands);

  // The run has ended. Throws as TargetValues::finish().
  void finish();

 private:
  const Graph graph_;
  const RunNoise noise_;
  const std::vector<bool> rounds_;  // per node
  TargetValues values_;
  std::unique_ptr<RunTrace> trace_;  // may be none
};

// Runs the graph, which is the run's, in its stages. `inputs`: by name. Returns the most bytes that
// each stage held.
std::vector<int64_t> run_in_stages(const StagedGraph& graph,
                                   const std::map<std::string, at::Tensor>& inputs,
                                   SequentialRun& run);

}  // namespace assay
