// One training step of an MLP: what a graph looks like.
#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

void training_step(ProgramContext& program) {
  const auto x = program.input("x");
  const auto up = program.input("up");
  const auto down = program.input("down");
  const auto y = at::matmul(at::gelu(at::matmul(x, up)), down);
  program.output("y", y);
  const auto gradients = torch::autograd::grad({y.sum()}, {up, down, x});
  program.output("grad.up", gradients[0]);
  program.output("grad.down", gradients[1]);
  program.output("grad.x", gradients[2]);
}

CaptureSpec inputs() {
  return {{"x", {8, 4}, DType::kFloat32, true},
          {"up", {4, 16}, DType::kFloat32, true},
          {"down", {16, 4}, DType::kFloat32, true}};
}

TEST(CapturedMlp, HasForwardAndBackwardInOneGraph) {
  const Graph graph = test::capture_and_check(inputs(), training_step);
  EXPECT_EQ(test::to_text(graph), R"(mm[8, 16] = aten.mm.default(x, up)
gelu[8, 16] = aten.gelu.default(mm, approximate='none')
y[8, 4] = aten.mm.default(gelu, down)
sum[] = aten.sum.default(y)
ones_like[] = aten.ones_like.default(sum, memory_format='torch.contiguous_format')
expand[8, 4] = aten.expand.default(ones_like, [8, 4], implicit=false)
t[16, 8] = aten.t.default(gelu)
grad.down[16, 4] = aten.mm.default(t, expand)
t_1[4, 16] = aten.t.default(down)
mm_3[8, 16] = aten.mm.default(expand, t_1)
gelu_backward[8, 16] = aten.gelu_backward.default(mm_3, mm, approximate='none')
t_2[4, 8] = aten.t.default(x)
grad.up[4, 16] = aten.mm.default(t_2, gelu_backward)
t_3[16, 4] = aten.t.default(up)
grad.x[8, 4] = aten.mm.default(gelu_backward, t_3)
)");
}

TEST(CapturedMlp, NamesInputsAndOutputsAsTheUserDid) {
  const Graph graph = capture("sequential", inputs(), 0, Mesh(), training_step);
  std::vector<std::string> names;
  for (const TensorId id : graph.inputs)
    names.push_back(graph.tensors[static_cast<size_t>(id)].name);
  EXPECT_THAT(names, testing::ElementsAre("x", "up", "down"));
  names.clear();
  for (const TensorId id : graph.outputs)
    names.push_back(graph.tensors[static_cast<size_t>(id)].name);
  EXPECT_THAT(names, testing::ElementsAre("y", "grad.up", "grad.down", "grad.x"));
}

TEST(CapturedMlp, IsTheSameTwice) {
  EXPECT_EQ(test::to_text(capture("first", inputs(), 0, Mesh(), training_step)),
            test::to_text(capture("second", inputs(), 0, Mesh(), training_step)));
}

}  // namespace
}  // namespace assay
