#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <iostream>
#include "shared_ir/capture/capture.h"
#include "tests/capture/graph_text.h"

namespace assay {
namespace {

at::Tensor all_reduce(at::Tensor tensor, const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  std::vector<at::Tensor> tensors = {tensor};
  group->allreduce(tensors)->wait();
  return tensor;
}

void mlp(ProgramContext& program) {
  const auto x = program.input("x");
  const auto up = program.input("up");
  const auto down = program.input("down");
  auto y = at::matmul(at::gelu(at::matmul(x, up.t())), down.t());
  if (!program.mesh().axes().empty()) y = all_reduce(y.detach().clone(), program.group("tp"));
  program.output("y", y);
  if (program.mesh().axes().empty()) {
    const auto gradients = torch::autograd::grad({y.sum()}, {up, down, x});
    program.output("grad.up", gradients[0]);
  }
}

CaptureSpec inputs() {
  return {{"x", {8, 64}, DType::kFloat32, true},
          {"up", {256, 64}, DType::kFloat32, true},
          {"down", {64, 256}, DType::kFloat32, true}};
}

void print(const Graph& graph) {
  std::cout << test::to_text(graph);
  for (const Node& node : graph.nodes) {
    std::cout << node.op << "  " << to_string(node.source) << (node.backward ? " backward" : "")
              << "\n";
  }
}

TEST(CaptureMlp, Prints) {
  print(capture("sequential", inputs(), 0, Mesh(), mlp));
  print(capture("rank 1", inputs(), 1, Mesh({{"tp", 2}}), mlp));
}

}  // namespace
}  // namespace assay
