#include "dynamic_check/run/record.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <map>
#include <set>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/rank_context.h"
#include "shared_ir/capture/record/recording.h"
#include "shared_ir/capture/same_program.h"

namespace assay {
namespace {

std::string describe(const Graph& graph, size_t index) {
  if (index >= graph.nodes.size()) return "nothing";
  const Node& node = graph.nodes[index];
  return node.source.known() ? fmt::format("{} ({})", node.op, to_string(node.source)) : node.op;
}

// Node by node: same operator, same outputs.
void check_same_nodes(const Graph& captured, const Graph& run) {
  const size_t count = std::max(captured.nodes.size(), run.nodes.size());
  for (size_t i = 0; i < count; ++i) {
    const bool same = i < captured.nodes.size() && i < run.nodes.size() &&
                      captured.nodes[i].op == run.nodes[i].op &&
                      captured.nodes[i].outputs == run.nodes[i].outputs &&
                      same_constant(captured.nodes[i], run.nodes[i]);
    if (same) continue;
    throw UserError(
        {},
        fmt::format("{}: the run is not what was captured: operator {} was {} and is {}",
                    captured.name, i, describe(captured, i), describe(run, i)),
        "a program must not branch on values, on devices or on how often it has run");
  }
}

}  // namespace

void run_recorded(const RankProgram& program, RankEnvironment& environment, const Graph& captured,
                  const ProgramInputs& inputs, const NodeObserver& observer) {
  std::map<std::string, at::Tensor> own;
  for (TensorId id : captured.inputs) {
    const std::string& name = captured.tensors[static_cast<size_t>(id)].name;
    const auto found = inputs.tensors.find(name);
    if (found == inputs.tensors.end())
      throw UserError({}, fmt::format("{}: input {} has no value", captured.name, name));
    own[name] = found->second.clone().set_requires_grad(inputs.differentiable.contains(name));
  }
  Recording recording(captured.name, {.on_outputs =
                                          [&](NodeId node, std::span<const at::Tensor> outputs) {
                                            // A run that strays from the capture is reported at its
                                            // end, with the node.
                                            if (static_cast<size_t>(node) < captured.nodes.size())
                                              observer(node, outputs);
                                          },
                                      .copies_views = captured.copies_views,
                                      .expected = &captured});
  for (TensorId id : captured.inputs) {
    const std::string& name = captured.tensors[static_cast<size_t>(id)].name;
    recording.input(name, own.at(name));
  }
  RankContext context(
      environment,
      [&](const std::string& name) {
        const auto found = own.find(name);
        if (found != own.end()) return found->second;
        throw UserError({},
                        fmt::format("the program asks for an input {} that was not declared", name),
                        "declare it, or correct the name");
      },
      [&](const std::string& name, const at::Tensor& tensor) { recording.output(name, tensor); },
      [&](const at::Tensor& tensor, std::optional<int64_t> at_most) {
        return recording.size_of(tensor, at_most);
      });
  program(context);
  check_same_nodes(captured, recording.finish());
}

namespace {

// The outputs of an operator that shows its operand's memory in another way, as views of what was
// kept of that operand. None where the operator is another, and where it does not show the same.
std::vector<at::Tensor> views_of_kept(const Graph& captured, const Node& node,
                                      std::span<const at::Tensor> outputs,
                                      const RecordedTensors& recorded) {
  if (!is_view_operator(node)) return {};
  const std::vector<TensorId> operands = tensor_arguments(node);
  if (operands.empty() || !recorded[static_cast<size_t>(operands.front())].defined()) return {};
  const auto kept = [&](TensorId id) { return recorded[static_cast<size_t>(id)]; };
  std::vector<at::Tensor> views = run_operator(captured, node, kept, Arithmetic::kAsRecorded);
  if (views.size() != outputs.size()) return {};
  for (size_t i = 0; i < views.size(); ++i) {
    const at::Tensor &view = views[i], &output = outputs[i];
    const bool same = view.defined() && output.defined() &&
                      view.is_alias_of(kept(operands.front())) &&
                      view.scalar_type() == output.scalar_type() && at::equal(view, output);
    if (!same) return {};
  }
  return views;
}

}  // namespace

RecordedTensors recorded_inputs(const Graph& captured, const ProgramInputs& inputs) {
  RecordedTensors recorded(captured.tensors.size());
  for (const auto& [name, tensor] : inputs.tensors) {
    const TensorId id = captured.find(name);
    if (id != kNone) recorded[static_cast<size_t>(id)] = tensor;
  }
  return recorded;
}

void keep_outputs(const Graph& captured, NodeId node, std::span<const at::Tensor> outputs,
                  RecordedTensors& recorded) {
  const Node& called = captured.nodes[static_cast<size_t>(node)];
  const std::vector<TensorId>& ids = called.outputs;
  const std::vector<at::Tensor> views = views_of_kept(captured, called, outputs, recorded);
  for (size_t i = 0; i < ids.size() && i < outputs.size(); ++i) {
    if (ids[i] == kNone || !outputs[i].defined()) continue;
    recorded[static_cast<size_t>(ids[i])] = views.empty() ? kept_copy(outputs[i]) : views[i];
  }
}

void apply_kernel_hook(const KernelHook& hook, Rank rank, const Graph& captured, NodeId node,
                       const RecordedTensors& recorded, std::span<const at::Tensor> outputs) {
  const Node& called = captured.nodes[static_cast<size_t>(node)];
  std::vector<at::Tensor> inputs;
  for (TensorId input : tensor_arguments(called))
    inputs.push_back(recorded[static_cast<size_t>(input)]);
  hook({rank, captured, called, inputs, outputs});
}

void run_parameters(const RankProgram& program, RankEnvironment& environment,
                    const std::function<void(const std::string&, const at::Tensor&)>& made) {
  std::set<std::string> names;
  RankContext context(
      environment,
      [](const std::string& name) -> at::Tensor {
        throw UserError(
            {}, fmt::format("parameters are made before the run: there is no input {} yet", name));
      },
      [&](const std::string& name, const at::Tensor& tensor) {
        if (!names.insert(name).second)
          throw UserError(
              {}, fmt::format("parameter {} is made twice on rank {}", name, environment.rank()));
        made(name, tensor);
      },
      [](const at::Tensor& tensor, std::optional<int64_t>) { return tensor.item().toLong(); });
  program(context);
}

}  // namespace assay
