#include "dynamic_check/run/sequential_run.h"
#include "dynamic_check/numbers/numbers.h"

#include <utility>

#include "dynamic_check/run/float8_products.h"
#include "dynamic_check/run/reassociation.h"
#include "dynamic_check/run/record.h"
#include "shared_ir/cast.h"

namespace assay {

SequentialRun::SequentialRun(Graph graph, RunNoise noise, const Targets& targets,
                             TargetValues::Told told, at::Device device)
    : graph_(std::move(graph)),
      noise_(std::move(noise)),
      rounds_(rounding_nodes(graph_)),
      values_(graph_, targets, std::move(told), device) {}

void SequentialRun::keep_trace(const std::filesystem::path& file, TraceRun run) {
  trace_ = std::make_unique<RunTrace>(file, graph_, std::move(run));
}

at::Tensor SequentialRun::input(const std::string& name, const at::Tensor& value) {
  const bool wide = noise_.precision == DType::kFloat64;
  const at::Tensor noisy = noisy_input(name, wide ? widened(value) : value, noise_.rounding);
  const TensorId id = graph_.find(name);
  if (id == kNone) return noisy;
  see(id, noisy);
  return noisy;
}

void SequentialRun::see(TensorId id, const at::Tensor& value) {
  values_.see(id, value);
  if (trace_) trace_->add(id, value);
}

void SequentialRun::see_outputs(NodeId node, std::span<const at::Tensor> outputs,
                                const TensorLookup& operands) {
  const auto index = static_cast<size_t>(node);
  if (is_float8(noise_.precision))
    round_product(graph_, node, noise_.precision, operands, outputs, noise_.products);
  for (size_t i = 0; noise_.rounding.relative != 0 && rounds_[index] && i < outputs.size(); ++i) {
    if (outputs[i].defined() && outputs[i].is_floating_point())
      add_noise(node, i, outputs[i], noise_.rounding);
  }
  if (noise_.rounding.sums != 0 && rounds_[index] && makes_sums(graph_.nodes[index])) {
    const std::vector<at::Tensor> moved =
        reassociation_noise(graph_, node, operands, noise_.rounding, nullptr);
    for (size_t i = 0; i < outputs.size() && i < moved.size(); ++i)
      if (outputs[i].defined() && moved[i].defined())
        overwrite(outputs[i], outputs[i] + moved[i].to(outputs[i].device()));
  }
  values_.see_outputs(graph_.nodes[index], outputs);
  if (trace_) trace_->add_outputs(node, outputs);
}

void SequentialRun::finish() {
  values_.finish();
  if (trace_) trace_->finish();
}

std::vector<int64_t> run_in_stages(const StagedGraph& graph,
                                   const std::map<std::string, at::Tensor>& inputs,
                                   SequentialRun& run) {
  std::map<std::string, bool> read;
  const auto input = [&](TensorId id) {
    const std::string& name = graph.graph().tensors[static_cast<size_t>(id)].name;
    const auto found = inputs.find(name);
    if (found == inputs.end()) return at::Tensor();
    read[name] = true;
    return run.input(name, found->second);
  };
  const auto observe = [&](NodeId node, std::span<const at::Tensor> outputs,
                           const TensorLookup& operands) {
    run.see_outputs(node, outputs, operands);
  };
  std::vector<int64_t> peaks = graph.run(input, observe);
  // A target may be an input that no operator reads.
  for (const auto& [name, value] : inputs)
    if (!read[name]) run.input(name, value);
  run.finish();
  return peaks;
}

}  // namespace assay
