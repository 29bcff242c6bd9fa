// The sequential graph on several devices: what runs where, what it may overwrite, and what cannot
// run so. tests/fixtures compares whole checks.
#include "dynamic_check/run/reference_stages.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/keep/tensor_trace.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/sequential_run.h"
#include "shared_ir/trace/trace_folder.h"
#include "tests/dynamic/support/mlp.h"
#include "tests/support/graph_builder.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using test::GraphBuilder;
using test::make_mlp;
using test::Mlp;
using test::TensorRef;
using testing::HasSubstr;

const std::vector<std::string> kThreeStages = {"cpu", "cpu", "cpu"};

DynamicReport run(const Mlp& mlp, const DynamicOptions& options) {
  return dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
}

std::string why_refused(const std::vector<std::string>& devices) {
  try {
    run(make_mlp(), {.reference_stages = devices});
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReferenceStages, ADeviceThatIsNoneIsNamed) {
  for (const std::string name :
       {"gpu1", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "mps", ""})
    EXPECT_THAT(why_refused({"cpu", name}), HasSubstr("is to run on '" + name + "'"));
}

TEST(ReferenceStages, AGpuThatIsNotThereIsNamed) {
  EXPECT_THAT(why_refused({"cpu", "cuda:1000"}),
              HasSubstr("is to run on cuda:1000, which is not there"));
}

TEST(ReferenceStages, PassInEveryPrecisionAndFindAWrongKernel) {
  const KernelHook wrong = [](const KernelCall& call) {
    if (call.rank == 0 && call.node.op == "aten.gelu.default")
      call.outputs[0].copy_(call.inputs[0].relu());
  };
  for (const DType precision : {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kFloat16,
                                DType::kFloat8E4M3, DType::kFloat8E5M2}) {
    const DynamicReport right =
        run(make_mlp(), {.precision = precision, .reference_stages = kThreeStages});
    EXPECT_EQ(right.triage, "pass") << to_string(precision);
    ASSERT_EQ(right.reference_stages.size(), 3U);
    for (const DynamicReport::Stage& stage : right.reference_stages) {
      EXPECT_EQ(stage.device, "cpu");
      EXPECT_GT(stage.bytes, 0);
    }
    const DynamicReport deviates = run(
        make_mlp(), {.precision = precision, .kernel = wrong, .reference_stages = kThreeStages});
    EXPECT_EQ(deviates.triage, "kernel") << to_string(precision);
    ASSERT_TRUE(deviates.first_deviation);
    EXPECT_EQ(deviates.first_deviation->tensor, "gelu");
  }
}

TEST(ReferenceStages, LeaveTheTracesThatOneRunLeaves) {
  const test::ScratchFolder scratch;
  const TraceFolder whole{scratch.path() / "whole"}, staged{scratch.path() / "staged"};
  run(make_mlp(), {.samples = 3, .traces = scratch.path() / "whole"});
  run(make_mlp(),
      {.samples = 3, .traces = scratch.path() / "staged", .reference_stages = kThreeStages});
  for (const auto& [one, other] :
       {std::pair(whole.base(), staged.base()), std::pair(whole.exact(), staged.exact()),
        std::pair(whole.sample(3), staged.sample(3))}) {
    TensorTrace a(one), b(other);
    EXPECT_FALSE(a.tensors().empty());
    EXPECT_EQ(a.tensors().size(), b.tensors().size());
    for (const TracedTensor& tensor : a.tensors())
      EXPECT_TRUE(at::equal(a.read(tensor.name), b.read(tensor.name))) << one << " " << tensor.name;
  }
}

TEST(ReferenceStages, RefuseAProgramThatDrawsRandomNumbers) {
  Mlp mlp = make_mlp();
  GraphBuilder builder("sequential");
  builder.at("model.py", 7);
  builder.call("d", "aten.rand_like.default", {builder.input("x", {8, 64})}, {8, 64});
  mlp.refinement.sequential = builder.graph();
  mlp.relations.clear();
  mlp.refinement.expect.clear();
  try {
    run(mlp, {.reference_stages = kThreeStages});
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(to_string(error.place()), "model.py:7");
    EXPECT_THAT(error.what(), HasSubstr("aten.rand_like.default draws random numbers"));
  }
}

Node call_of(const std::string& op, std::vector<test::Argument> args) {
  GraphBuilder builder("one");
  const TensorRef x = builder.input("x", {1, 1, 4, 4});
  args.insert(args.begin(), x);
  if (op.find("attention") != std::string::npos) args.insert(args.begin(), {x, x});
  builder.call("y", op, std::move(args), {1, 1, 4, 4});
  return builder.graph().nodes.front();
}

TEST(Draws, ADropoutByZeroOrInEvaluationDoesNot) {
  const std::string attention = "aten._scaled_dot_product_flash_attention_for_cpu.default";
  EXPECT_FALSE(draws(call_of(attention, {})));
  EXPECT_FALSE(draws(call_of(attention, {0.0})));
  EXPECT_TRUE(draws(call_of(attention, {0.1})));
  EXPECT_TRUE(draws(call_of("aten.native_dropout.default", {0.1, true})));
  EXPECT_FALSE(draws(call_of("aten.native_dropout.default", {0.1, false})));
  EXPECT_TRUE(draws(call_of("aten.bernoulli.p", {0.1})));
  EXPECT_FALSE(draws(call_of("aten.relu.default", {})));
}

TEST(StagedGraph, RefusesAGraphThatCommunicates) {
  GraphBuilder builder("rank");
  builder.call("y", "_c10d_functional.all_reduce.default", {builder.input("x", {4}), "sum", "tp"},
               {4});
  EXPECT_THROW(StagedGraph(builder.graph(), {at::kCPU, at::kCPU}, Arithmetic::kAsRecorded),
               UserError);
}

// y = x + a; z = y + b, which stage 1 runs.
Graph sums() {
  GraphBuilder builder("sums");
  const TensorRef x = builder.input("x", {4}), a = builder.input("a", {4});
  const TensorRef b = builder.input("b", {4}), unread = builder.input("unread", {4});
  static_cast<void>(unread);
  const TensorRef y = builder.call("y", "aten.add.Tensor", {x, a}, {4});
  builder.output(builder.call("z", "aten.add.Tensor", {y, b}, {4}));
  return builder.graph();
}

TEST(StagedGraph, AnInputIsMadeOnceWhenItIsFirstRead) {
  const StagedGraph graph(sums(), {at::kCPU, at::kCPU}, Arithmetic::kAsRecorded);
  std::string order;
  const auto inputs = [&](TensorId id) {
    order += graph.graph().tensors[static_cast<size_t>(id)].name + " ";
    return normal_tensor({1, "input"}, {4}).to(at::kFloat);
  };
  graph.run(inputs, [&](NodeId node, std::span<const at::Tensor>, const TensorLookup&) {
    order += "node" + std::to_string(node) + " ";
  });
  EXPECT_EQ(order, "x a node0 b node1 ");
}

// Stage 0 has x, a and y; stage 1 its copy of y, b and z.
TEST(StagedValues, LieInTheirStagesUntilTheyAreReadLastAndAreCountedThere) {
  const Graph graph = sums();
  StagedValues values(plan_of(graph, {0, 1}, 2), {at::kCPU, at::kCPU}, graph.tensors.size(),
                      [&](TensorId) { return normal_tensor({1, "input"}, {4}); });
  const TensorId y = graph.find("y"), z = graph.find("z");
  const at::Tensor sum = values.read(0, graph.find("x")) + values.read(0, graph.find("a"));
  values.write(0, y, sum);
  values.drop_after(0);
  EXPECT_FALSE(values.has(0, graph.find("x")));
  EXPECT_TRUE(values.has(0, y));
  const at::Tensor copy = values.read(1, y);
  EXPECT_TRUE(at::equal(copy, sum));
  EXPECT_FALSE(copy.is_alias_of(sum)) << "stages share no memory";
  values.write(1, z, copy + values.read(1, graph.find("b")));
  values.drop_after(1);
  for (const NodeId stage : {0, 1})
    for (const TensorId id : {y, z}) EXPECT_FALSE(values.has(stage, id));
  EXPECT_EQ(values.peak_bytes(), (std::vector<int64_t>{3 * 4 * 8, 3 * 4 * 8}));
}

// tg.log_tensor gives its operand back.
TEST(StagedGraph, WhatIsWrittenOntoAnOutputDoesNotReachTheOperand) {
  GraphBuilder builder("log");
  const TensorRef x = builder.input("x", {4});
  const TensorRef y = builder.call("y", "tg.log_tensor.default", {x, "name"}, {4});
  builder.output(builder.call("z", "aten.sub.Tensor", {y, x}, {4}));
  const StagedGraph graph(builder.graph(), {at::kCPU}, Arithmetic::kAsRecorded);
  const at::Tensor value = normal_tensor({1, "x"}, {4}).to(at::kFloat);
  at::Tensor difference;
  graph.run([&](TensorId) { return value; },
            [&](NodeId node, std::span<const at::Tensor> outputs, const TensorLookup&) {
              if (node == 0) outputs[0].mul_(3);
              if (node == 1) difference = outputs[0];
            });
  EXPECT_TRUE(at::equal(difference, value * 3 - value));
}

// An operator that writes into its operand gives that, and then the operand's new value.
TEST(StagedGraph, AnOutputIsSeenOnce) {
  GraphBuilder builder("in place");
  builder.output(builder.call("y", "aten.relu_.default", {builder.input("x", {4})}, {4}));
  const StagedGraph graph(builder.graph(), {at::kCPU}, Arithmetic::kFloat64);
  size_t seen = 0;
  graph.run([](TensorId) { return normal_tensor({1, "x"}, {4}); },
            [&](NodeId, std::span<const at::Tensor> outputs, const TensorLookup&) {
              seen += outputs.size();
            });
  EXPECT_EQ(seen, 1U);
}

TEST(SequentialRun, AnInputThatNobodyReadsIsToldToo) {
  const Graph sequential = sums();
  Targets targets;
  targets.list = {{.name = "unread", .sequential = {}, .replicas = {}}};
  targets.list[0].sequential.name = "unread";
  std::map<std::string, at::Tensor> inputs;
  for (const char* name : {"x", "a", "b", "unread"}) inputs[name] = normal_tensor({1, name}, {4});
  at::Tensor told;
  SequentialRun run(
      sequential, {.precision = DType::kFloat64}, targets,
      [&](size_t, const at::Tensor& value) { told = value; }, at::kCPU);
  run_in_stages(StagedGraph(sequential, {at::kCPU, at::kCPU}, Arithmetic::kFloat64), inputs, run);
  EXPECT_TRUE(told.defined() && at::equal(told, inputs.at("unread")));
}

// The same kernels then see the same strides as in the program.
TEST(BoxedCall, AViewThatNeedsNoCopyIsNone) {
  GraphBuilder builder("view");
  const TensorRef x = builder.input("x", {6, 4});
  builder.call("y", "aten.view.default", {x, test::Argument({6, 2, 2})}, {6, 2, 2});
  builder.call("z", "aten.view.default", {x, test::Argument({24})}, {24});
  const Graph& graph = builder.graph();
  const at::Tensor transposed = normal_tensor({1, "x"}, {4, 6}).t();
  const auto viewed = [&](size_t node) {
    return run_operator(
               graph, graph.nodes[node], [&](TensorId) { return transposed; }, Arithmetic::kFloat64)
        .at(0);
  };
  EXPECT_TRUE(viewed(0).is_alias_of(transposed));
  EXPECT_TRUE(at::equal(viewed(0), transposed.reshape({6, 2, 2})));
  EXPECT_FALSE(viewed(1).is_alias_of(transposed));
  EXPECT_TRUE(at::equal(viewed(1), transposed.reshape({24})));
}

}  // namespace
}  // namespace assay
