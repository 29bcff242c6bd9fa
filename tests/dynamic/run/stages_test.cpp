// A graph is cut so that what belongs together lies together, and what the stages hold follows from
// shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dynamic_check/run/stages/forward_positions.h"
#include "dynamic_check/run/stages/plan_stages.h"
#include "tests/support/graph_builder.h"

namespace assay {
namespace {

using test::GraphBuilder;
using test::TensorRef;

// A graph and what its tensors take: each its elements in float32; views nothing.
struct Program {
  Graph graph;
  TensorMemory memory;
};

Program program_of(Graph graph) {
  Program program{std::move(graph), {}};
  for (const Tensor& tensor : program.graph.tensors)
    program.memory.bytes.push_back(4 * element_count(tensor.shape));
  for (const Node& node : program.graph.nodes)
    program.memory.views.push_back(node.op == "aten.t.default");
  return program;
}

// A training step of layers x := x W_i, whose gradients are scaled by one norm of all of them, and
// then taken off the weights with a moment of each.
Program training_step(int layers, int64_t width = 64, int64_t tokens = 64) {
  GraphBuilder builder("step");
  const auto name = [](const char* what, int layer) { return what + std::to_string(layer); };
  const Shape activation = {tokens, width}, square = {width, width};
  std::vector<TensorRef> weights, activations, gradients, norms;
  TensorRef x = builder.input("x", activation);
  for (int layer = 0; layer < layers; ++layer)
    weights.push_back(builder.input(name("w", layer), square));
  std::vector<TensorRef> moments;
  for (int layer = 0; layer < layers; ++layer)
    moments.push_back(builder.input(name("m", layer), square));
  for (int layer = 0; layer < layers; ++layer) {
    activations.push_back(x);
    const TensorRef t = builder.call(name("t", layer), "aten.t.default",
                                     {weights[static_cast<size_t>(layer)]}, square);
    x = builder.call(name("y", layer), "aten.mm.default", {x, t}, activation);
  }
  const size_t forward = builder.graph().nodes.size();
  TensorRef g = x;
  for (int layer = layers - 1; layer >= 0; --layer) {
    const auto index = static_cast<size_t>(layer);
    gradients.push_back(
        builder.call(name("gw", layer), "aten.mm.default", {g, activations[index]}, square));
    g = builder.call(name("gx", layer), "aten.mm.default", {g, weights[index]}, activation);
  }
  const size_t backward = builder.graph().nodes.size();
  std::ranges::reverse(gradients);
  std::vector<test::Argument> squares;
  for (int layer = 0; layer < layers; ++layer)
    squares.emplace_back(builder.call(name("norm", layer), "aten.linalg_vector_norm.default",
                                      {gradients[static_cast<size_t>(layer)]}, {}));
  const TensorRef norm = builder.call("norm", "aten.stack.default", {squares}, {layers});
  for (int layer = 0; layer < layers; ++layer) {
    const auto index = static_cast<size_t>(layer);
    const TensorRef scaled =
        builder.call(name("s", layer), "aten.mul.Tensor", {gradients[index], norm}, square);
    const TensorRef moment =
        builder.call(name("nm", layer), "aten.add.Tensor", {moments[index], scaled}, square);
    builder.output(
        builder.call(name("nw", layer), "aten.sub.Tensor", {weights[index], moment}, square));
  }
  Graph graph = builder.graph();
  for (size_t node = forward; node < backward; ++node) graph.nodes[node].backward = true;
  return program_of(std::move(graph));
}

int32_t stage_of(const StagePlan& plan, const Graph& graph, const std::string& tensor) {
  const NodeId producer = graph.tensors[static_cast<size_t>(graph.find(tensor))].producer;
  return plan.stage_of.at(static_cast<size_t>(producer));
}

std::vector<int32_t> in_one(const Graph& graph) {
  return std::vector<int32_t>(graph.nodes.size(), 0);
}

TEST(PlanStages, GradientsAndOptimizerStepsLieWithTheirLayers) {
  const Program step = training_step(12);
  const StagePlan plan = plan_stages(step.graph, step.memory, 3);
  for (int layer = 0; layer < 12; ++layer) {
    const std::string number = std::to_string(layer);
    const int32_t forward = stage_of(plan, step.graph, "y" + number);
    for (const char* what : {"t", "gw", "gx", "s", "nm", "nw"})
      EXPECT_EQ(stage_of(plan, step.graph, what + number), forward) << what << number;
  }
  EXPECT_EQ(stage_of(plan, step.graph, "y0"), 0);
  EXPECT_EQ(stage_of(plan, step.graph, "y11"), 2);
}

TEST(PlanStages, NoStageHoldsMoreThanItsShareAndALayer) {
  constexpr int kLayers = 24;
  for (const auto& [width, tokens] : {std::pair(64, 64), std::pair(64, 4096), std::pair(256, 4)}) {
    const Program step = training_step(kLayers, width, tokens);
    const int64_t whole =
        peak_bytes(step.graph, step.memory, plan_of(step.graph, in_one(step.graph), 1)).front();
    // What a layer has: weight, moment, gradient and what its step makes; x, y and their gradients.
    const int64_t layer = 4 * (6 * width * width + 4 * width * tokens);
    for (const int32_t stages : {1, 2, 3, 4, 8}) {
      const StagePlan plan = plan_stages(step.graph, step.memory, stages);
      for (const int64_t bytes : peak_bytes(step.graph, step.memory, plan))
        EXPECT_LE(bytes, whole / stages + layer)
            << stages << " stages, width " << width << ", " << tokens << " tokens";
    }
  }
}

// The first layer is as large as ten others.
TEST(PlanStages, ALargeLayerHasAStageWithFewOthers) {
  constexpr int kLayers = 20, kStages = 3;
  Program step = training_step(kLayers);
  for (const char* name : {"w0", "m0", "gw0", "s0", "nm0", "nw0"})
    step.memory.bytes[static_cast<size_t>(step.graph.find(name))] *= 10;
  const int64_t whole =
      peak_bytes(step.graph, step.memory, plan_of(step.graph, in_one(step.graph), 1)).front();
  const int64_t layer = 4 * (6 * 64 * 64 + 4 * 64 * 64);
  const StagePlan plan = plan_stages(step.graph, step.memory, kStages);
  for (const int64_t bytes : peak_bytes(step.graph, step.memory, plan))
    EXPECT_LE(bytes, whole / kStages + layer);
}

// The second batch's forward pass goes through the stages as the first's does.
TEST(PlanStages, AForwardPassAfterABackwardPassFollowsTheWeights) {
  GraphBuilder builder("accumulation");
  const Shape square = {8, 8};
  const TensorRef w = builder.input("w", square), v = builder.input("v", square);
  const TensorRef a = builder.input("a", square), b = builder.input("b", square);
  const TensorRef h = builder.call("h", "aten.mm.default", {a, w}, square);
  const TensorRef y = builder.call("y", "aten.mm.default", {h, v}, square);
  builder.call("g", "aten.mm.default", {y, v}, square);
  const TensorRef k = builder.call("k", "aten.mm.default", {b, w}, square);
  builder.call("z", "aten.mm.default", {k, v}, square);
  Graph graph = builder.graph();
  graph.nodes[2].backward = true;
  const Program program = program_of(graph);
  EXPECT_EQ(forward_positions(graph, program.memory.bytes), (std::vector<int32_t>{0, 1, 1, 0, 1}));
}

TEST(PlanStages, WithoutABackwardPassNodesAreCutInTheirOrder) {
  Program step = training_step(8);
  for (Node& node : step.graph.nodes) node.backward = false;
  const StagePlan plan = plan_stages(step.graph, step.memory, 4);
  EXPECT_TRUE(std::ranges::is_sorted(plan.stage_of));
  EXPECT_EQ(plan.stage_of.back(), 3);
}

TEST(PlanStages, MoreStagesThanNodesLeaveSomeEmpty) {
  GraphBuilder builder("one");
  builder.call("y", "aten.relu.default", {builder.input("x", {4})}, {4});
  const Program program = program_of(builder.graph());
  const StagePlan plan = plan_stages(program.graph, program.memory, 3);
  const std::vector<int64_t> peaks = peak_bytes(program.graph, program.memory, plan);
  EXPECT_EQ(std::accumulate(peaks.begin(), peaks.end(), int64_t{0}), 32);
}

// x -> t (a view of it) -> y = t t, in stage 0; z = y x, in stage 1.
struct TwoStages {
  Program program;
  StagePlan plan;
};

TwoStages two_stages() {
  GraphBuilder builder("two");
  const TensorRef x = builder.input("x", {8});
  const TensorRef t = builder.call("t", "aten.t.default", {x}, {8});
  const TensorRef y = builder.call("y", "aten.mul.Tensor", {t, t}, {8});
  builder.call("z", "aten.mul.Tensor", {y, x}, {8});
  Program program = program_of(builder.graph());
  StagePlan plan = plan_of(program.graph, {0, 0, 1}, 2);
  return {std::move(program), std::move(plan)};
}

TEST(StagePlan, ATensorGoesAfterItsLastReaderInTheStageOrItsLastCopy) {
  const TwoStages two = two_stages();
  const Graph& graph = two.program.graph;
  std::vector<std::pair<int32_t, std::string>> dropped;
  std::vector<size_t> after;
  for (size_t node = 0; node < two.plan.last_uses.size(); ++node) {
    for (const auto& [stage, tensor] : two.plan.last_uses[node]) {
      dropped.emplace_back(stage, graph.tensors[static_cast<size_t>(tensor)].name);
      after.push_back(node);
    }
  }
  using Dropped = std::vector<std::pair<int32_t, std::string>>;
  EXPECT_EQ(dropped, (Dropped{{0, "t"}, {0, "x"}, {0, "y"}, {1, "x"}, {1, "y"}, {1, "z"}}));
  EXPECT_EQ(after, (std::vector<size_t>{1, 2, 2, 2, 2, 2}));
}

TEST(StagePlan, WhatIsKeptNeverGoes) {
  const Graph graph = two_stages().program.graph;
  const StagePlan plan =
      plan_of(graph, in_one(graph), 1, [&](TensorId id) { return id == graph.find("y"); });
  for (const auto& pieces : plan.last_uses)
    for (const auto& [stage, tensor] : pieces) EXPECT_NE(tensor, graph.find("y"));
}

TEST(StageMemory, AViewTakesNothingAndACopyItsOwn) {
  const TwoStages two = two_stages();
  // Stage 0: x with its view, and y; stage 1: copies of both, and z.
  EXPECT_EQ(peak_bytes(two.program.graph, two.program.memory, two.plan),
            (std::vector<int64_t>{64, 96}));
}

}  // namespace
}  // namespace assay
