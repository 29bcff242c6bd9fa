#include "tests/capture/run_program.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/record/recording.h"
#include "shared_ir/capture/same_program.h"
#include "shared_ir/capture/torch/memory_format.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "tests/capture/graph_text.h"

namespace assay::test {
namespace {

class RunContext : public ProgramContext {
 public:
  RunContext(Recording& recording, const std::map<std::string, at::Tensor>& inputs)
      : recording_(recording), inputs_(inputs) {}
  at::Tensor input(const std::string& name) override { return inputs_.at(name); }
  void output(const std::string& name, const at::Tensor& tensor) override {
    recording_.output(name, tensor);
  }
  int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) override {
    return recording_.size_of(tensor, at_most);
  }
  Rank rank() const override { return 0; }
  const Mesh& mesh() const override { return mesh_; }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string&) override { return {}; }

 private:
  Recording& recording_;
  const std::map<std::string, at::Tensor>& inputs_;
  Mesh mesh_;
};

at::Tensor random_tensor(const CaptureInput& input) {
  const auto options = at::TensorOptions().dtype(to_scalar_type(input.dtype));
  return is_floating(input.dtype)
             ? at::randn(input.shape, options).set_requires_grad(input.requires_grad)
             : at::randint(2, input.shape, options);
}

// One node as a dispatcher call.
class NodeCall {
 public:
  NodeCall(const Node& node, std::map<TensorId, at::Tensor>& values)
      : node_(node), values_(values) {}

  std::vector<at::Tensor> operator()() {
    const size_t first = node_.op.find('.');
    const size_t second = node_.op.find('.', first + 1);
    const std::string overload = node_.op.substr(second + 1);
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
        (node_.op.substr(0, first) + "::" + node_.op.substr(first + 1, second - first - 1)).c_str(),
        overload == "default" ? "" : overload.c_str());
    torch::jit::Stack stack;
    for (size_t i = 0; i < op.schema().arguments().size(); ++i) {
      stack.push_back(argument(op.schema().arguments()[i], i));
    }
    op.callBoxed(&stack);
    std::vector<at::Tensor> results;
    for (const c10::IValue& value : stack) {
      if (value.isTensor()) results.push_back(value.toTensor());
      if (value.isTensorList()) {
        for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
      }
    }
    return results;
  }

 private:
  c10::IValue argument(const c10::Argument& schema, size_t position) {
    if (position < node_.args.size()) return value(node_.args[position], schema.type());
    for (const auto& [name, arg] : node_.kwargs) {
      if (name == schema.name()) return value(arg, schema.type());
    }
    return schema.default_value().value_or(c10::IValue());
  }

  c10::IValue value(const Arg& arg, const c10::TypePtr& type) {
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value))
      return values_.at(tensor->id).clone();
    if (const auto* number = std::get_if<int64_t>(&arg.value)) return *number;
    if (const auto* number = std::get_if<double>(&arg.value)) return *number;
    if (const auto* truth = std::get_if<bool>(&arg.value)) return *truth;
    if (const auto* text = std::get_if<std::string>(&arg.value)) {
      if (const auto format = memory_format(*text)) return static_cast<int64_t>(*format);
      return *text;
    }
    if (const auto* dtype = std::get_if<DType>(&arg.value)) {
      return static_cast<int64_t>(to_scalar_type(*dtype));
    }
    if (const auto* list = std::get_if<ArgList>(&arg.value)) return list_value(*list, type);
    return {};
  }

  c10::IValue list_value(const ArgList& list, c10::TypePtr type) {
    if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
    c10::impl::GenericList values(element);
    for (const Arg& arg : list) values.push_back(value(arg, element));
    return values;
  }

  const Node& node_;
  std::map<TensorId, at::Tensor>& values_;
};

}  // namespace

Run run_program(const CaptureSpec& inputs, const RankProgram& program, const Graph* expected) {
  std::map<std::string, at::Tensor> tensors;
  for (const CaptureInput& input : inputs) tensors[input.name] = random_tensor(input);
  std::map<NodeId, std::vector<at::Tensor>> observed;
  Run run;
  std::map<std::string, at::Tensor> initial;
  for (const auto& [name, tensor] : tensors) initial[name] = tensor.detach().clone();
  {
    Recording recording("run", {.on_outputs =
                                    [&](NodeId node, std::span<const at::Tensor> outputs) {
                                      for (const at::Tensor& output : outputs) {
                                        observed[node].push_back(output.defined()
                                                                     ? output.detach().clone()
                                                                     : at::Tensor());
                                      }
                                    },
                                .expected = expected});
    for (const CaptureInput& input : inputs) recording.input(input.name, tensors.at(input.name));
    RunContext context(recording, tensors);
    program(context);
    run.graph = recording.finish();
  }
  for (const auto& [name, tensor] : initial) run.values[run.graph.find(name)] = tensor;
  for (const auto& [node, outputs] : observed) {
    const auto& ids = run.graph.nodes[static_cast<size_t>(node)].outputs;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNone) run.values[ids[i]] = outputs[i];
    }
  }
  return run;
}

void expect_graph_computes(const Run& run) {
  std::map<TensorId, at::Tensor> values;
  for (const TensorId id : run.graph.inputs) values[id] = run.values.at(id);
  for (const Node& node : run.graph.nodes) {
    const std::vector<at::Tensor> results = NodeCall(node, values)();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone) continue;
      values[id] = results.at(i);
      const std::string& name = run.graph.tensors[static_cast<size_t>(id)].name;
      ASSERT_TRUE(run.values.contains(id)) << name << " was not observed in\n"
                                           << to_text(run.graph);
      const at::Tensor& seen = run.values.at(id);
      EXPECT_TRUE(
          seen.sizes() == results[i].sizes() && seen.dtype() == results[i].dtype() &&
          (node.op.starts_with("aten.empty") ||
           at::allclose(seen.to(at::kDouble), results[i].to(at::kDouble), 1e-4, 1e-5, true)))
          << name << " differs in\n"
          << to_text(run.graph);
    }
  }
}

Graph capture_and_check(const CaptureSpec& inputs, const RankProgram& program) {
  Graph captured = capture("captured", inputs, 0, Mesh(), program);
  const Run run = run_program(inputs, program);
  EXPECT_EQ(to_text(captured), to_text(run.graph));
  EXPECT_NO_THROW(check_same_program(captured, run.graph));
  expect_graph_computes(run);
  return captured;
}

}  // namespace assay::test
