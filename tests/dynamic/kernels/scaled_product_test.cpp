// aten::_scaled_mm in exact arithmetic, where PyTorch has no kernel for it, is what PyTorch
// computes of float8 factors.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/kernels/boxed_call.h"
#include "shared_ir/capture/capture.h"

namespace assay {
namespace {

using testing::HasSubstr;

Graph captured(bool bias, bool scales_result) {
  const auto program = [=](ProgramContext& p) {
    const at::Tensor a = p.input("a"), b = p.input("b");
    const at::Tensor scale_a = p.input("scale_a"), scale_b = p.input("scale_b");
    const std::optional<at::Tensor> added = bias ? std::optional(p.input("bias")) : std::nullopt;
    const std::optional<at::Tensor> scale =
        scales_result ? std::optional(p.input("scale_a")) : std::nullopt;
    p.output("y", at::_scaled_mm(a, b, scale_a, scale_b, added, scale, at::kFloat));
  };
  return capture("product",
                 {{"a", {16, 32}, DType::kFloat8E5M2},
                  {"b", {32, 48}, DType::kFloat8E4M3},
                  {"scale_a", {}},
                  {"scale_b", {}},
                  {"bias", {48}}},
                 0, Mesh(), program);
}

at::Tensor run(const Graph& graph, Arithmetic arithmetic) {
  const auto values = [&](TensorId id) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    at::Tensor value = at::randn(tensor.shape, at::make_generator<at::CPUGeneratorImpl>(id + 1));
    if (tensor.name == "a") value = value.to(at::kFloat8_e5m2);
    if (tensor.name == "b") value = value.to(at::kFloat8_e4m3fn);
    return arithmetic == Arithmetic::kFloat64 ? widened(value) : value;
  };
  return run_operator(graph, graph.nodes.at(0), values, arithmetic).at(0);
}

TEST(ScaledProduct, InFloat64IsWhatPyTorchComputes) {
  for (const bool bias : {false, true}) {
    const Graph graph = captured(bias, false);
    const at::Tensor exact = run(graph, Arithmetic::kFloat64);
    const at::Tensor kernel = run(graph, Arithmetic::kAsRecorded);
    EXPECT_EQ(exact.scalar_type(), at::kDouble);
    EXPECT_EQ(kernel.scalar_type(), at::kFloat);
    const at::Tensor error = (kernel.to(at::kDouble) - exact).norm() / exact.norm();
    EXPECT_LT(error.item<double>(), 1e-6);
  }
}

TEST(ScaledProduct, WhoseResultIsScaledIsNotKnown) {
  try {
    run(captured(false, true), Arithmetic::kFloat64);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a scale of the result is not supported"));
  }
}

}  // namespace
}  // namespace assay
