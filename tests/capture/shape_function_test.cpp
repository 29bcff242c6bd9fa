// Operators that cannot run on meta tensors in LibTorch: the capture has the shapes, strides and
// types of a real run.
#include <ATen/ops/_native_batch_norm_legit.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/glu.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/smooth_l1_loss.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/var.h>
#include <ATen/ops/where.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/capture/run_program.h"

namespace assay {
namespace {

struct Operator {
  const char* name;
  CaptureSpec inputs;  // the differentiable ones get gradients
  std::function<at::Tensor(std::vector<at::Tensor>)> call;
};

void PrintTo(const Operator& op, std::ostream* out) { *out << op.name; }

class ShapeFunction : public testing::TestWithParam<Operator> {};

TEST_P(ShapeFunction, AgreesWithARealRunForwardAndBackward) {
  const Operator& op = GetParam();
  test::capture_and_check(op.inputs, [&](ProgramContext& program) {
    std::vector<at::Tensor> inputs;
    std::vector<at::Tensor> differentiable;
    for (const CaptureInput& input : op.inputs) {
      inputs.push_back(program.input(input.name));
      if (input.requires_grad) differentiable.push_back(inputs.back());
    }
    const at::Tensor y = op.call(inputs);
    program.output("result", y);
    if (!y.requires_grad()) return;
    const auto gradients = torch::autograd::grad({at::mul(y, y).sum()}, differentiable);
    for (size_t i = 0; i < gradients.size(); ++i) {
      program.output("gradient" + std::to_string(i), gradients[i]);
    }
  });
}

CaptureInput real(const char* name, Shape shape) {
  return {name, std::move(shape), DType::kFloat32, true};
}
CaptureInput ids(const char* name, Shape shape) {
  return {name, std::move(shape), DType::kInt64, false};
}
CaptureInput mask(const char* name, Shape shape) {
  return {name, std::move(shape), DType::kBool, false};
}
using Tensors = std::vector<at::Tensor>;

const Operator kOperators[] = {
    {"abs", {real("x", {3, 4})}, [](Tensors t) { return at::abs(t[0]); }},
    {"batch_norm",
     {real("x", {4, 3}), real("w", {3}), real("b", {3})},
     [](Tensors t) {
       return std::get<0>(at::_native_batch_norm_legit(t[0], t[1], t[2], true, 0.1, 1e-5));
     }},
    {"clamp", {real("x", {3, 4})}, [](Tensors t) { return at::clamp(t[0], -0.5, 0.5); }},
    {"cross_entropy",
     {real("x", {3, 4}), ids("i", {3})},
     [](Tensors t) { return at::cross_entropy_loss(t[0], t[1]); }},
    {"cumsum", {real("x", {3, 4})}, [](Tensors t) { return at::cumsum(t[0], 1); }},
    {"embedding",
     {real("x", {5, 4}), ids("i", {2, 3})},
     [](Tensors t) { return at::embedding(t[0], t[1]); }},
    {"gather",
     {real("x", {3, 4}), ids("i", {3, 2})},
     [](Tensors t) { return at::gather(t[0], 1, t[1]); }},
    {"glu", {real("x", {3, 4})}, [](Tensors t) { return at::glu(t[0], 1); }},
    {"hardtanh", {real("x", {3, 4})}, [](Tensors t) { return at::hardtanh(t[0]); }},
    {"index_add",
     {real("x", {3, 4}), ids("i", {2}), real("y", {2, 4})},
     [](Tensors t) { return at::index_add(t[0], 0, t[1], t[2]); }},
    {"index_select",
     {real("x", {3, 4}), ids("i", {5})},
     [](Tensors t) { return at::index_select(t[0], -1, t[1]); }},
    {"layer_norm",
     {real("x", {2, 3, 4}), real("w", {4}), real("b", {4})},
     [](Tensors t) { return at::layer_norm(t[0], {4}, t[1], t[2]); }},
    {"layer_norm_without_weight",
     {real("x", {2, 3, 4})},
     [](Tensors t) { return at::layer_norm(t[0], {3, 4}); }},
    {"log_softmax", {real("x", {3, 4})}, [](Tensors t) { return at::log_softmax(t[0], 1); }},
    {"logical_and",
     {real("x", {3, 4}), mask("m", {4})},
     [](Tensors t) { return at::logical_and(t[0], t[1]); }},
    {"logical_not", {real("x", {3, 4})}, [](Tensors t) { return at::logical_not(t[0]); }},
    {"logsumexp", {real("x", {3, 4})}, [](Tensors t) { return at::logsumexp(t[0], {1}, true); }},
    {"logsumexp_of_integers",
     {ids("i", {3, 4})},
     [](Tensors t) { return at::logsumexp(t[0], {1}); }},
    {"masked_fill",
     {real("x", {3, 4}), mask("m", {3, 4})},
     [](Tensors t) { return at::masked_fill(t[0], t[1], -1e30); }},
    {"mse_loss",
     {real("x", {3, 4}), real("y", {3, 4})},
     [](Tensors t) { return at::mse_loss(t[0], t[1]); }},
    {"relu", {real("x", {3, 4})}, [](Tensors t) { return at::relu(t[0].t()); }},
    {"rms_norm",
     {real("x", {3, 4}), real("w", {4})},
     [](Tensors t) { return at::rms_norm(t[0], {4}, t[1], 1e-6); }},
    {"roll", {real("x", {3, 4})}, [](Tensors t) { return at::roll(t[0], 1, 0); }},
    {"scatter_add",
     {real("x", {3, 4}), ids("i", {3, 2}), real("y", {3, 2})},
     [](Tensors t) { return at::scatter_add(t[0], 1, t[1], t[2]); }},
    {"silu", {real("x", {3, 4})}, [](Tensors t) { return at::silu(t[0]); }},
    {"smooth_l1_loss",
     {real("x", {3, 4}), real("y", {3, 4})},
     [](Tensors t) { return at::smooth_l1_loss(t[0], t[1]); }},
    {"softmax", {real("x", {3, 4})}, [](Tensors t) { return at::softmax(t[0], 1); }},
    {"var",
     {real("x", {3, 4})},
     [](Tensors t) { return at::var(t[0], at::IntArrayRef{1}, false, true); }},
    {"where",
     {mask("m", {3, 1}), real("x", {3, 4}), real("y", {4})},
     [](Tensors t) { return at::where(t[0], t[1], t[2]); }},
};

INSTANTIATE_TEST_SUITE_P(, ShapeFunction, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace assay
