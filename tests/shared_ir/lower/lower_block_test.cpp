#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

MATCHER_P(Near, tolerance, "") {
  const auto [value, expected] = arg;
  return value == expected || std::abs(value - expected) <= tolerance;
}

// Sum over i of g[i] * (f(x + h e_k)[i] - f(x - h e_k)[i]) / 2h, for each k: what a backward
// operator must give.
template <typename Function>
std::vector<double> pulled_back(Function f, std::vector<double> x, const std::vector<double>& g) {
  const double h = 1e-5;
  std::vector<double> result;
  for (double& at : x) {
    double centre = at;
    at = centre + h;
    std::vector<double> up = f(x);
    at = centre - h;
    std::vector<double> down = f(x);
    at = centre;
    double slope = 0;
    for (size_t i = 0; i < g.size(); ++i) slope += g[i] * (up[i] - down[i]) / (2 * h);
    result.push_back(slope);
  }
  return result;
}

const std::vector<double> kX = {0.5, -1, 2, 0.25, 3, -0.5};
const std::vector<double> kG = {1, -2, 0.5, 3, 0.25, -1};

TEST(LowerBlock, SoftmaxAlongAnyDimension) {
  auto along = [](int64_t dim) {
    return OperatorCall("aten._softmax.default")
        .tensor({2, 3}, kX)
        .number(dim)
        .flag(false)
        .gives({2, 3})
        .value();
  };
  EXPECT_NEAR(along(-1)[0], std::exp(0.5) / (std::exp(0.5) + std::exp(-1) + std::exp(2)), 1e-12);
  EXPECT_NEAR(along(0)[0], std::exp(0.5) / (std::exp(0.5) + std::exp(0.25)), 1e-12);
}

TEST(LowerBlock, ExponentialsOfLargeScoresDoNotOverflow) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> large = {1000, 999, -infinite, -2000, -2001, -infinite};
  const auto rows = [&](const std::string& op) {
    return OperatorCall("aten." + op + ".default")
        .tensor({2, 3}, large)
        .number(-1)
        .flag(false)
        .gives({2, 3})
        .value();
  };
  const double share = 1 / (1 + std::exp(-1)), log_share = -std::log1p(std::exp(-1));
  EXPECT_THAT(rows("_softmax"),
              Pointwise(Near(1e-12), {share, 1 - share, 0.0, share, 1 - share, 0.0}));
  EXPECT_THAT(rows("_log_softmax"), Pointwise(Near(1e-12), {log_share, log_share - 1, -infinite,
                                                            log_share, log_share - 1, -infinite}));
  EXPECT_THAT(OperatorCall("aten.logsumexp.default")
                  .tensor({2, 3}, {1000, 999, -infinite, -infinite, -infinite, -infinite})
                  .numbers({1})
                  .gives({2})
                  .value(),
              Pointwise(Near(1e-12), {1000 - log_share, -infinite}));
}

TEST(LowerBlock, ARunningSumIsOneFunctionWhateverItsDimension) {
  const auto along = [](int64_t dim) {
    return OperatorCall("aten.cumsum.default").tensor({2, 3}, kX).number(dim).gives({2, 3}).lower();
  };
  const CoreProgram first = along(0), last = along(1);
  EXPECT_EQ(first.ops.back().fn, last.ops.back().fn);
  EXPECT_EQ(first.specs[0].output[0], (BlockSpec::Dim{0, true}));
  EXPECT_EQ(last.specs[0].output[1], (BlockSpec::Dim{0, true}));
  EXPECT_EQ(last.specs[0].output[0], (BlockSpec::Dim{1, false}));
}

TEST(LowerBlock, SoftmaxGradients) {
  for (bool log : {false, true}) {
    std::string op = log ? "aten._log_softmax" : "aten._softmax";
    auto forward = [&](const std::vector<double>& x) {
      return OperatorCall(op + ".default")
          .tensor({2, 3}, x)
          .number(-1)
          .flag(false)
          .gives({2, 3})
          .value();
    };
    auto call = OperatorCall(op + "_backward_data.default")
                    .tensor({2, 3}, kG)
                    .tensor({2, 3}, forward(kX))
                    .number(-1)
                    .dtype(DType::kFloat32)
                    .gives({2, 3});
    EXPECT_THAT(call.value(), Pointwise(Near(1e-8), pulled_back(forward, kX, kG)));
  }
}

const std::vector<double> kWeight = {1, 2, -1};
const std::vector<double> kBias = {0.1, 0.2, 0.3};

OperatorCall layer_norm(const std::vector<double>& x, const std::vector<double>& w,
                        const std::vector<double>& b) {
  return OperatorCall("aten.native_layer_norm.default")
      .tensor({2, 3}, x)
      .numbers({3})
      .tensor({3}, w)
      .tensor({3}, b)
      .number(1e-5)
      .gives({2, 3})
      .gives({2, 1})
      .gives({2, 1});
}

TEST(LowerBlock, LayerNormNormalizesRows) {
  auto results = layer_norm(kX, kWeight, kBias).run();
  double variance = (0 + 1.5 * 1.5 + 1.5 * 1.5) / 3, rstd = 1 / std::sqrt(variance + 1e-5);
  EXPECT_THAT(results[0][1], DoubleNear(-1.5 * rstd * 2 + 0.2, 1e-12));
  EXPECT_THAT(results[1][0], DoubleNear(0.5, 1e-12));
  EXPECT_THAT(results[2][0], DoubleNear(rstd, 1e-12));
}

TEST(LowerBlock, LayerNormStatisticsDoNotSeeTheWeight) {
  CoreProgram program = layer_norm(kX, kWeight, kBias).lower();
  for (const CoreOp& op : program.ops) {
    if (op.prim != Prim::kBlock) continue;
    EXPECT_EQ(op.operands, std::vector<CoreId>{0}) << op.fn;
  }
}

TEST(LowerBlock, BatchNormWithoutStatisticsIsOpaqueInEvaluation) {
  const auto lowered = [](bool training) {
    return OperatorCall("aten._native_batch_norm_legit.no_stats")
        .tensor({3, 1, 1}, kWeight)
        .tensor({1}, {2})
        .tensor({1}, {3})
        .flag(training)
        .number(0.1)
        .number(1e-5)
        .gives({3, 1, 1})
        .lower();
  };
  EXPECT_EQ(lowered(true).opaque, std::vector<std::string>{});
  EXPECT_EQ(lowered(false).opaque.size(), 1u);
}

TEST(LowerBlock, LayerNormGradients) {
  auto y = layer_norm(kX, kWeight, kBias).run();
  auto call = OperatorCall("aten.native_layer_norm_backward.default")
                  .tensor({2, 3}, kG)
                  .tensor({2, 3}, kX)
                  .numbers({3})
                  .tensor({2, 1}, y[1])
                  .tensor({2, 1}, y[2])
                  .tensor({3}, kWeight)
                  .tensor({3}, kBias)
                  .flag(true)
                  .flag(true)
                  .flag(true)
                  .listed(3)
                  .gives({2, 3})
                  .gives({3})
                  .gives({3});
  auto gradients = call.run();
  EXPECT_THAT(
      gradients[0],
      Pointwise(Near(1e-8),
                pulled_back([](const auto& x) { return layer_norm(x, kWeight, kBias).run()[0]; },
                            kX, kG)));
  EXPECT_THAT(gradients[1],
              Pointwise(Near(1e-8),
                        pulled_back([](const auto& w) { return layer_norm(kX, w, kBias).run()[0]; },
                                    kWeight, kG)));
  EXPECT_THAT(
      gradients[2],
      Pointwise(Near(1e-8),
                pulled_back([](const auto& b) { return layer_norm(kX, kWeight, b).run()[0]; },
                            kBias, kG)));
}

TEST(LowerBlock, LayerNormOverTwoDimensions) {
  auto call = OperatorCall("aten.native_layer_norm.default")
                  .tensor({1, 3, 2}, {1, 2, 3, 4, 5, 6})
                  .numbers({3, 2})
                  .none()
                  .none()
                  .number(0.0)
                  .gives({1, 3, 2})
                  .gives({1, 1, 1})
                  .gives({1, 1, 1});
  EXPECT_NEAR(call.run()[1][0], 3.5, 1e-12);
  EXPECT_THROW(OperatorCall("aten.native_layer_norm.default")
                   .tensor({2, 3}, kX)
                   .numbers({2})
                   .none()
                   .none()
                   .number(0.0)
                   .gives({2, 3})
                   .lower(),
               UserError);
}

OperatorCall rms_norm(const std::vector<double>& x, const std::vector<double>& w) {
  return OperatorCall("aten._fused_rms_norm.default")
      .tensor({2, 3}, x)
      .numbers({3})
      .tensor({3}, w)
      .number(1e-6)
      .gives({2, 3})
      .gives({2, 1});
}

TEST(LowerBlock, RmsNormAndItsGradients) {
  auto y = rms_norm(kX, kWeight).run();
  EXPECT_NEAR(y[0][2], -2 / std::sqrt((0.25 + 1 + 4) / 3 + 1e-6), 1e-12);
  auto gradients = OperatorCall("aten._fused_rms_norm_backward.default")
                       .tensor({2, 3}, kG)
                       .tensor({2, 3}, kX)
                       .numbers({3})
                       .tensor({2, 1}, y[1])
                       .tensor({3}, kWeight)
                       .flag(true)
                       .flag(true)
                       .listed(2)
                       .gives({2, 3})
                       .gives({3})
                       .run();
  EXPECT_THAT(
      gradients[0],
      Pointwise(Near(1e-8),
                pulled_back([](const auto& x) { return rms_norm(x, kWeight).run()[0]; }, kX, kG)));
  EXPECT_THAT(
      gradients[1],
      Pointwise(Near(1e-8),
                pulled_back([](const auto& w) { return rms_norm(kX, w).run()[0]; }, kWeight, kG)));
}

TEST(LowerBlock, MegatronLayerNormFlattensItsStatistics) {
  auto fwd = OperatorCall("apex.fused_layer_norm_affine_fwd.default")
                 .tensor({1, 2, 3}, kX)
                 .tensor({3}, kWeight)
                 .tensor({3}, kBias)
                 .numbers({3})
                 .number(1e-5)
                 .gives({1, 2, 3})
                 .gives({2})
                 .gives({2})
                 .run();
  auto expected = layer_norm(kX, kWeight, kBias).run();
  EXPECT_THAT(fwd[0], Pointwise(Near(1e-12), expected[0]));
  EXPECT_THAT(fwd[2], Pointwise(Near(1e-12), expected[2]));
  auto bwd = OperatorCall("apex.fused_layer_norm_affine_bwd.default")
                 .tensor({1, 2, 3}, kG)
                 .tensor({2}, fwd[1])
                 .tensor({2}, fwd[2])
                 .tensor({1, 2, 3}, kX)
                 .numbers({3})
                 .tensor({3}, kWeight)
                 .tensor({3}, kBias)
                 .number(1e-5)
                 .gives({1, 2, 3})
                 .gives({3})
                 .gives({3})
                 .run();
  EXPECT_THAT(
      bwd[0],
      Pointwise(Near(1e-8),
                pulled_back([](const auto& x) { return layer_norm(x, kWeight, kBias).run()[0]; },
                            kX, kG)));
}

TEST(LowerBlock, FusedAddRmsNormWritesBothArguments) {
  auto call = OperatorCall("_C.fused_add_rms_norm.default")
                  .tensor({1, 2}, {1, 2})
                  .tensor({1, 2}, {2, 2})
                  .tensor({2}, {1, 10})
                  .number(0.0)
                  .gives_nothing_used()
                  .gives({1, 2})
                  .gives({1, 2});
  auto written = call.run();
  double rms = std::sqrt((9.0 + 16) / 2);
  EXPECT_THAT(written[0], Pointwise(Near(1e-12), std::vector<double>{3 / rms, 40 / rms}));
  EXPECT_THAT(written[1], ElementsAre(3, 4));
}

TEST(LowerBlock, SwigluMultipliesItsHalves) {
  EXPECT_THAT(OperatorCall("_C.silu_and_mul.default")
                  .tensor({1, 1}, {0})
                  .tensor({1, 2}, {2, 5})
                  .gives_nothing_used()
                  .gives({1, 1})
                  .value()[0],
              DoubleNear(5 * 2 / (1 + std::exp(-2)), 1e-12));
  EXPECT_THROW(OperatorCall("_C.silu_and_mul.default")
                   .tensor({1, 1}, {0})
                   .tensor({1, 3}, {2, 5, 6})
                   .gives_nothing_used()
                   .gives({1, 1})
                   .lower(),
               UserError);
}

TEST(LowerBlock, RotaryTurnsPairsOfEachHead) {
  // Position 1 has cosine 0 and sine 1: (x, y) -> (-y, x).
  auto call = OperatorCall("_C.rotary_embedding.default")
                  .ids({1}, {1})
                  .tensor({1, 4}, {1, 2, 3, 4})
                  .tensor({1, 2}, {5, 6})
                  .number(2)
                  .tensor({2, 2}, {1, 0, 0, 1})
                  .flag(true)
                  .gives_nothing_used()
                  .gives({1, 4})
                  .gives({1, 2});
  auto turned = call.run();
  EXPECT_THAT(turned[0], ElementsAre(-2, 1, -4, 3));
  EXPECT_THAT(turned[1], ElementsAre(-6, 5));
}

TEST(LowerBlock, AttentionSharesKeysWithinAGroup) {
  auto call = OperatorCall("vllm.unified_attention_with_output.default")
                  .tensor({2, 2, 1}, {0, 0, 0, 0})
                  .tensor({2, 1, 1}, {1, 2})
                  .tensor({2, 1, 1}, {10, 20})
                  .tensor({2, 2, 1}, {0, 0, 0, 0})
                  .text("layer")
                  .gives_nothing_used()
                  .gives({2, 2, 1});
  EXPECT_THAT(call.value(), Pointwise(Near(1e-12), std::vector<double>{10, 10, 15, 15}));
  const CoreProgram program = call.lower();
  const BlockSpec& spec = program.specs[0];
  EXPECT_TRUE(spec.operands[0][0].whole);
  EXPECT_FALSE(spec.operands[0][1].whole);
}

TEST(LowerRandom, DropoutSamplesAndScales) {
  auto call = OperatorCall("aten.native_dropout.default")
                  .tensor({4}, {1, 1, 1, 1})
                  .number(0.25)
                  .flag(true)
                  .gives({4})
                  .gives(DType::kBool, {4});
  auto results = call.run();
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(results[0][i], results[1][i] / 0.75, 1e-12);
  EXPECT_EQ(OperatorCall("aten.native_dropout.default")
                .tensor({2}, {1, 2})
                .number(0.25)
                .flag(false)
                .gives({2})
                .lower()
                .ops.size(),
            1u);
}

}  // namespace
}  // namespace assay::test
