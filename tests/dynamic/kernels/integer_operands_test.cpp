// In float64 what an operator makes of integers is float64, too: PyTorch would make float32 of
// them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "dynamic_check/kernels/boxed_call.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

at::Tensor made(const char* op, std::vector<Argument> arguments, DType dtype = DType::kFloat32) {
  GraphBuilder builder("graph");
  const TensorRef n = builder.input("n", {4}, DType::kInt64);
  arguments.insert(arguments.begin(), n);
  builder.output(builder.call("y", op, std::move(arguments), {4}, dtype));
  const Graph graph = builder.graph();
  return run_operator(
             graph, graph.nodes.at(0), [](TensorId) { return at::arange(1, 5); },
             Arithmetic::kFloat64)
      .at(0);
}

double error(const at::Tensor& found, const at::Tensor& wanted) {
  return (found - wanted).abs().max().item<double>();
}

TEST(IntegerOperands, OfFloatsAreNumbersOfTheRunsArithmetic) {
  const at::Tensor numbers = at::arange(1, 5).to(at::kDouble);
  EXPECT_LT(error(made("aten.mul.Tensor", {0.1}), numbers * 0.1), 1e-15);
  EXPECT_LT(error(made("aten.div.Tensor", {3}), numbers / 3), 1e-15);
  EXPECT_LT(error(made("aten.sqrt.default", {}), numbers.sqrt()), 1e-15);
}

TEST(IntegerOperands, OfIntegersStayThem) {
  EXPECT_EQ(made("aten.mul.Tensor", {3}, DType::kInt64).scalar_type(), at::kLong);
  EXPECT_EQ(made("aten.ge.Scalar", {2}, DType::kBool).scalar_type(), at::kBool);
}

}  // namespace
}  // namespace assay::test
