// Every node leads back to the line of the user's program.
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "shared_ir/capture/places/module_scope.h"
#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

struct Doubled : torch::autograd::Function<Doubled> {
  static constexpr int kForwardLine = __LINE__ + 2;
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return at::mul(x, 2.0);
  }
  static constexpr int kBackwardLine = __LINE__ + 3;
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    const auto doubled = at::mul(gradients[0], 2.0);
    return {doubled};
  }
};

constexpr int kMmLine = __LINE__ + 3;
at::Tensor project(const at::Tensor& x, const at::Tensor& weight) {
  const ModuleScope scope("proj");
  return at::mm(x, weight);
}

constexpr int kGeluLine = __LINE__ + 4;
void program(ProgramContext& context) {
  const auto x = context.input("x");
  const ModuleScope scope("mlp");
  const auto y = at::gelu(x);
  const auto z = Doubled::apply(project(y, context.input("w")));
  context.output("z", z);
  const auto gradients = torch::autograd::grad({z.sum()}, {x, context.input("w")});
  context.output("grad.x", gradients[0]);
  context.output("grad.w", gradients[1]);
}

const CaptureSpec kInputs{{"x", {4, 6}, DType::kFloat32, true},
                          {"w", {6, 6}, DType::kFloat32, true}};

Graph graph() { return capture("sequential", kInputs, 0, Mesh(), program); }

TEST(Source, OfAForwardNodeIsItsCallInTheUsersFile) {
  const Graph captured = graph();
  for (const auto& [name, line] : {std::pair{"gelu", kGeluLine}, std::pair{"mm", kMmLine},
                                   std::pair{"z", Doubled::kForwardLine}}) {
    const Node& node = test::producer(captured, name);
    EXPECT_TRUE(node.source.file.ends_with("source_test.cpp")) << node.source.file;
    EXPECT_EQ(node.source.line, line) << name;
    EXPECT_FALSE(node.backward);
  }
}

TEST(Source, OfABackwardNodeIsItsForwardOperators) {
  const Graph captured = graph();
  const Node& weight = test::producer(captured, "grad.w");
  EXPECT_EQ(weight.source.line, kMmLine);
  EXPECT_EQ(weight.module, "mlp.proj");
  EXPECT_TRUE(weight.backward);
  const Node& input = test::producer(captured, "grad.x");
  EXPECT_EQ(input.op, "aten.gelu_backward.default");
  EXPECT_EQ(input.source.line, kGeluLine);
  EXPECT_EQ(input.module, "mlp");
}

TEST(Source, OfACustomBackwardIsItsOwnLine) {
  const Node& node = test::producer(graph(), "mul_1");
  EXPECT_EQ(node.source.line, Doubled::kBackwardLine);
  EXPECT_TRUE(node.backward);
}

TEST(Source, ModulePathIsThatOfTheEnclosingScopes) {
  const Graph captured = graph();
  EXPECT_EQ(test::producer(captured, "gelu").module, "mlp");
  EXPECT_EQ(test::producer(captured, "mm").module, "mlp.proj");
  EXPECT_EQ(ModuleScope::path(), "");
}

TEST(Source, OfARunIsThatOfTheGraphThatItIsExpectedToGive) {
  Graph expected = graph();
  expected.nodes.front().source.line = 777;
  const Graph run = test::run_program(kInputs, program, &expected).graph;
  ASSERT_EQ(run.nodes.size(), expected.nodes.size());
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    EXPECT_EQ(to_string(run.nodes[i].source), to_string(expected.nodes[i].source))
        << run.nodes[i].op;
    EXPECT_EQ(run.nodes[i].module, expected.nodes[i].module) << run.nodes[i].op;
    EXPECT_EQ(run.nodes[i].backward, expected.nodes[i].backward) << run.nodes[i].op;
  }
}

TEST(Source, OfANodeThatWasNotExpectedIsItsCaller) {
  Graph expected = graph();
  expected.nodes.front().op = "aten.relu.default";
  expected.nodes.front().source.line = 777;
  const Graph run = test::run_program(kInputs, program, &expected).graph;
  EXPECT_EQ(run.nodes.front().op, "aten.gelu.default");
  EXPECT_EQ(run.nodes.front().source.line, kGeluLine);
  EXPECT_EQ(run.nodes.front().module, "mlp");
}

}  // namespace
}  // namespace assay
