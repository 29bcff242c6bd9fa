#include "dynamic_check/localize/overwritten_operand.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <gmock/gmock.h>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/record.h"

namespace assay {
namespace {

constexpr TensorId kArgument = 0, kSlope = 1, kActivated = 2, kGradient = 3;
constexpr NodeId kForward = 0, kBackward = 1;

// y = gelu(x), and the gradient of it, which reads x again.
Graph gelu_and_its_gradient() {
  Graph graph;
  graph.name = "gelu";
  graph.tensors = {{"x", DType::kFloat32, {8, 8}},
                   {"slope", DType::kFloat32, {8, 8}},
                   {"y", DType::kFloat32, {8, 8}, kForward, 0},
                   {"gradient", DType::kFloat32, {8, 8}, kBackward, 0}};
  graph.inputs = {kArgument, kSlope};
  Node forward;
  forward.op = "aten.gelu.default";
  forward.args = {Arg{TensorArg{kArgument}}};
  forward.outputs = {kActivated};
  Node backward;
  backward.op = "aten.gelu_backward.default";
  backward.args = {Arg{TensorArg{kSlope}}, Arg{TensorArg{kArgument}}};
  backward.outputs = {kGradient};
  graph.nodes = {forward, backward};
  graph.outputs = {kActivated, kGradient};
  for (TensorId id = 0; id < 4; ++id)
    graph.by_name[graph.tensors[static_cast<size_t>(id)].name] = id;
  return graph;
}

// What the gradient read in place of x.
RecordedTensors run_that_reads(
    const std::function<at::Tensor(const at::Tensor& y)>& in_place_of_x) {
  const at::Tensor x = normal_tensor({1, "x"}, {8, 8}).to(at::kFloat);
  const at::Tensor slope = normal_tensor({1, "slope"}, {8, 8}).to(at::kFloat);
  const at::Tensor y = at::gelu(x);
  return {x, slope, y, at::gelu_backward(slope, in_place_of_x(y))};
}

TensorLookup lookup(RecordedTensors recorded) {
  return
      [recorded = std::move(recorded)](TensorId id) { return recorded[static_cast<size_t>(id)]; };
}

std::optional<OperatorFault> fault_of_gradient(const Graph& graph, const TensorLookup& recorded) {
  return check_operator(graph, 0, kBackward, recorded, {}).fault;
}

TEST(OverwrittenOperand, TheOperatorThatWroteIntoItIsNamed) {
  const Graph graph = gelu_and_its_gradient();
  const auto recorded = lookup(run_that_reads([](const at::Tensor& y) { return y; }));
  const auto fault = fault_of_gradient(graph, recorded);
  ASSERT_TRUE(fault);
  const auto found = overwritten_operand(graph, *fault, recorded, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, kForward);
  EXPECT_EQ(found->output, kActivated);
  EXPECT_EQ(found->kind, OperatorFault::Kind::kKernel);
  EXPECT_THAT(found->detail, testing::HasSubstr("into its operand x"));
}

TEST(OverwrittenOperand, AnotherFaultStaysWhereItIs) {
  const Graph graph = gelu_and_its_gradient();
  const auto recorded = lookup(run_that_reads([](const at::Tensor& y) { return y * 2; }));
  const auto fault = fault_of_gradient(graph, recorded);
  ASSERT_TRUE(fault);
  EXPECT_FALSE(overwritten_operand(graph, *fault, recorded, {}));
}

}  // namespace
}  // namespace assay
