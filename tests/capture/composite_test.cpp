// Operators that LibTorch makes of different others on meta tensors and on real ones: the graph is
// the same.
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/sum.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "shared_ir/capture/record/recording.h"
#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay::composite {
namespace {

TEST(Composite, OneHotIsOneOperator) {
  const Graph graph = test::capture_and_check(
      {{"ids", {3, 2}, DType::kInt64}},
      [](ProgramContext& program) { program.output("y", at::one_hot(program.input("ids"), 5)); });
  EXPECT_EQ(test::to_text(graph), "y[3, 2, 5] = aten.one_hot.default(ids, 5)\n");
}

TEST(Composite, OneHotOfAsManyClassesAsThereAreIsRefused) {
  try {
    capture("program", {{"ids", {3}, DType::kInt64}}, 0, Mesh(),
            [](ProgramContext& program) { at::one_hot(program.input("ids")); });
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    EXPECT_TRUE(error.place().file.ends_with("composite_test.cpp")) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("give one_hot its number of classes"));
  }
}

struct Attention {
  const char* name;
  CaptureSpec inputs;  // queries, keys, values, a mask
  bool is_causal = false, enable_gqa = false;
};

void PrintTo(const Attention& attention, std::ostream* out) { *out << attention.name; }

class CompositeAttention : public testing::TestWithParam<Attention> {};

TEST_P(CompositeAttention, HasTheSameForwardAndBackwardOnAllDevices) {
  const Attention& attention = GetParam();
  test::capture_and_check(attention.inputs, [&](ProgramContext& program) {
    std::optional<at::Tensor> mask;
    if (attention.inputs.size() > 3) mask = program.input("mask");
    const auto q = program.input("q"), k = program.input("k"), v = program.input("v");
    const auto y = at::scaled_dot_product_attention(q, k, v, mask, 0.0, attention.is_causal,
                                                    std::nullopt, attention.enable_gqa);
    program.output("y", y);
    const auto gradients = torch::autograd::grad({at::mul(y, y).sum()}, {q, k, v});
    for (size_t i = 0; i < gradients.size(); ++i)
      program.output("gradient" + std::to_string(i), gradients[i]);
  });
}

CaptureSpec heads(int64_t queries, int64_t keys, int64_t groups) {
  return {{"q", {2, groups, queries, 8}, DType::kFloat32, true},
          {"k", {2, 2, keys, 8}, DType::kFloat32, true},
          {"v", {2, 2, keys, 8}, DType::kFloat32, true}};
}

CaptureSpec with_mask(CaptureSpec inputs, DType dtype) {
  const int64_t queries = inputs[0].shape[2], keys = inputs[1].shape[2];
  inputs.push_back({"mask", {queries, keys}, dtype});
  return inputs;
}

INSTANTIATE_TEST_SUITE_P(
    , CompositeAttention,
    testing::Values(Attention{"plain", heads(3, 5, 2)}, Attention{"causal", heads(4, 4, 2), true},
                    Attention{"grouped", heads(3, 5, 4), false, true},
                    Attention{"masked", with_mask(heads(3, 5, 2), DType::kFloat32)},
                    Attention{"selected", with_mask(heads(3, 5, 2), DType::kBool)}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Composite, OutsideOfARecordingNothingHasChanged) {
  Recording("graph").finish();
  const auto q = at::randn({2, 2, 3, 8}).set_requires_grad(true);
  const auto y = at::scaled_dot_product_attention(q, q, q);
  EXPECT_EQ(y.grad_fn()->name().find("Bmm"), std::string::npos) << "a kernel of one piece";
  EXPECT_TRUE(
      at::allclose(y, std::get<0>(at::_scaled_dot_product_attention_math(q, q, q)), 1e-4, 1e-5));
  EXPECT_EQ(at::one_hot(at::arange(3)).sizes(), (std::vector<int64_t>{3, 3}));
  EXPECT_THROW(at::one_hot(at::arange(3), 2), c10::Error);
}

}  // namespace
}  // namespace assay::composite
