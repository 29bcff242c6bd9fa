#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Ge;
using testing::Pointwise;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(LowerElementwise, AddsWithAlphaAndBroadcasts) {
  EXPECT_THAT(OperatorCall("aten.add.Tensor")
                  .tensor({2, 2}, {1, 2, 3, 4})
                  .tensor({2}, {10, 20})
                  .number(2)
                  .gives({2, 2})
                  .value(),
              ElementsAre(21, 42, 23, 44));
  EXPECT_THAT(OperatorCall("aten.sub.Tensor").tensor({2}, {5, 6}).number(1.5).gives({2}).value(),
              ElementsAre(3.5, 4.5));
  EXPECT_THAT(OperatorCall("aten.rsub.Scalar").tensor({2}, {5, 6}).number(1).gives({2}).value(),
              ElementsAre(-4, -5));
}

TEST(LowerElementwise, ScalesExactlyByConstants) {
  CoreProgram program =
      OperatorCall("aten.div.Tensor").tensor({2}, {5, 6}).number(8.0).gives({2}).lower();
  EXPECT_EQ(program.ops.back().prim, Prim::kLinear);
  EXPECT_EQ(program.ops.back().coefs, std::vector<Rational>{Rational(1, 8)});
}

TEST(LowerElementwise, NotesRoundedConstants) {
  CoreProgram program =
      OperatorCall("aten.mul.Scalar").tensor({1}, {5}).number(1.0 / 3).gives({1}).lower();
  EXPECT_EQ(program.ops.back().coefs, std::vector<Rational>{Rational(1, 3)});
  EXPECT_THAT(program.notes, ElementsAre("the constant 0.3333333333333333 is taken as 1/3"));
}

TEST(LowerElementwise, DividesByNumbersBeyondRationals) {
  EXPECT_NEAR(
      OperatorCall("aten.div.Scalar").tensor({1}, {5}).number(1.2345e-7).gives({1}).value()[0],
      5 / 1.2345e-7, 1e-4);
}

// 1 - 0.9 and its like are not the numbers that they look like, and their products leave 64 bits.
TEST(LowerElementwise, StepSizesOfTheHostAreOpaqueNumbers) {
  const auto step = [](double alpha) {
    return OperatorCall("aten.add.Tensor").tensor({1}, {5}).tensor({1}, {7}).number(alpha);
  };
  CoreProgram program = step(1 - 0.9).gives({1}).lower();
  EXPECT_EQ(program.ops.back().coefs, (std::vector<Rational>{1, 1}));
  EXPECT_THAT(program.ops.back().operands, ElementsAre(0, Ge(2)));
  program = step(0.1).gives({1}).lower();
  EXPECT_EQ(program.ops.back().coefs, (std::vector<Rational>{1, Rational(1, 10)}));
  EXPECT_NEAR(step(1 - 0.9).gives({1}).value()[0], 5.7, 1e-12);
  EXPECT_NEAR(step(-3e-11).gives({1}).value()[0], 5 - 2.1e-10, 1e-15);
}

TEST(LowerElementwise, DividesByTensors) {
  EXPECT_THAT(OperatorCall("aten.div.Tensor")
                  .tensor({2, 2}, {2, 4, 6, 8})
                  .tensor({2, 1}, {2, 4})
                  .gives({2, 2})
                  .value(),
              ElementsAre(1, 2, 1.5, 2));
}

TEST(LowerElementwise, PromotesFlagsToIntegersByNumbers) {
  EXPECT_THAT(OperatorCall("aten.mul.Tensor")
                  .mask({2}, {0, 1})
                  .number(75)
                  .gives(DType::kInt64, {2})
                  .value(),
              ElementsAre(0, 75));
}

TEST(LowerElementwise, KeepsHalfPrecisionBesideNumbersAndScalars) {
  EXPECT_NO_THROW(OperatorCall("aten.add.Tensor")
                      .tensor(DType::kBFloat16, {2}, {1, 2})
                      .number(0.5)
                      .gives(DType::kBFloat16, {2})
                      .lower());
  EXPECT_NO_THROW(OperatorCall("aten.add.Tensor")
                      .tensor(DType::kBFloat16, {2}, {1, 2})
                      .tensor({}, {1})
                      .gives(DType::kBFloat16, {2})
                      .lower());
}

TEST(LowerElementwise, ComparesIntegersWithNumbers) {
  EXPECT_THAT(
      OperatorCall("aten.ge.Scalar").ids({3}, {3, 4, 5}).number(4).gives(DType::kBool, {3}).value(),
      ElementsAre(0, 1, 1));
  EXPECT_THAT(
      OperatorCall("aten.bitwise_not.default").mask({2}, {0, 1}).gives(DType::kBool, {2}).value(),
      ElementsAre(1, 0));
  EXPECT_THAT(OperatorCall("aten.bitwise_and.Tensor")
                  .ids({2}, {6, 5})
                  .ids({2}, {3, 4})
                  .gives(DType::kInt64, {2})
                  .value(),
              ElementsAre(2, 4));
}

TEST(LowerElementwise, MasksWithInfinityWithoutTouchingTheRest) {
  EXPECT_THAT(OperatorCall("aten.masked_fill.Scalar")
                  .tensor({2, 2}, {1, 2, 3, 4})
                  .mask({1, 2}, {0, 1})
                  .number(-kInf)
                  .gives({2, 2})
                  .value(),
              ElementsAre(1, -kInf, 3, -kInf));
  EXPECT_THAT(OperatorCall("aten.where.self")
                  .mask({2}, {1, 0})
                  .tensor({2}, {1, kInf})
                  .tensor({}, {7})
                  .gives({2})
                  .value(),
              ElementsAre(1, 7));
}

TEST(LowerElementwise, MasksUseNoArithmeticForZeros) {
  CoreProgram program = OperatorCall("aten.masked_fill.Scalar")
                            .tensor({2}, {1, 2})
                            .mask({2}, {0, 1})
                            .number(0)
                            .gives({2})
                            .lower();
  EXPECT_EQ(program.ops.back().prim, Prim::kKeep);
}

TEST(LowerElementwise, TakesConstantsBeyondRationalsAsOpaqueNumbers) {
  EXPECT_THAT(OperatorCall("aten.masked_fill.Scalar")
                  .tensor({2}, {1, 2})
                  .mask({2}, {0, 1})
                  .number(-3.4028234663852886e38)
                  .gives({2})
                  .value(),
              ElementsAre(1, -3.4028234663852886e38));
}

TEST(LowerElementwise, PowersBecomeTheirCommonNames) {
  const auto power = [](double exponent) {
    return OperatorCall("aten.pow.Tensor_Scalar")
        .tensor({1}, {4})
        .number(exponent)
        .gives({1})
        .lower()
        .ops.back();
  };
  const auto fn = [&](double exponent) { return power(exponent).fn; };
  EXPECT_EQ(power(2).prim, Prim::kMul);
  EXPECT_EQ(fn(0.5), "sqrt");
  EXPECT_EQ(fn(-0.5), "rsqrt");
  EXPECT_EQ(fn(-1), "reciprocal");
}

// Each slope against a central difference of its function.
TEST(LowerElementwise, SlopesAreDerivatives) {
  const std::vector<double> x = {-2, -0.5, 0.25, 1.5};
  const double h = 1e-5;
  for (const char* approximate : {"none", "tanh"}) {
    auto gelu = [&](double shift) {
      std::vector<double> at = x;
      for (double& value : at) value += shift;
      return OperatorCall("aten.gelu.default")
          .tensor({4}, at)
          .text(approximate)
          .as("approximate")
          .gives({4})
          .value();
    };
    std::vector<double> slope = OperatorCall("aten.gelu_backward.default")
                                    .tensor({4}, {1, 1, 1, 1})
                                    .tensor({4}, x)
                                    .text(approximate)
                                    .as("approximate")
                                    .gives({4})
                                    .value();
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(slope[i], (gelu(h)[i] - gelu(-h)[i]) / (2 * h), 1e-8);
  }
  auto silu = [&](double shift) { return (0.25 + shift) / (1 + std::exp(-0.25 - shift)); };
  EXPECT_NEAR(OperatorCall("aten.silu_backward.default")
                  .tensor({1}, {3})
                  .tensor({1}, {0.25})
                  .gives({1})
                  .value()[0],
              3 * (silu(h) - silu(-h)) / (2 * h), 1e-8);
  EXPECT_NEAR(OperatorCall("aten.tanh_backward.default")
                  .tensor({1}, {3})
                  .tensor({1}, {std::tanh(0.5)})
                  .gives({1})
                  .value()[0],
              3 / std::pow(std::cosh(0.5), 2), 1e-12);
  EXPECT_NEAR(OperatorCall("aten.sigmoid_backward.default")
                  .tensor({1}, {3})
                  .tensor({1}, {0.25})
                  .gives({1})
                  .value()[0],
              3 * 0.25 * 0.75, 1e-12);
}

TEST(LowerElementwise, CastsFloatsWithoutChangingThem) {
  CoreProgram program = OperatorCall("aten._to_copy.default")
                            .tensor({2}, {0.1, 2})
                            .dtype(DType::kBFloat16)
                            .as("dtype")
                            .none()
                            .as("device")
                            .gives(DType::kBFloat16, {2})
                            .lower();
  EXPECT_EQ(program.ops.back().prim, Prim::kCast);
  EXPECT_THAT(program.notes, ElementsAre("casts from float32 to bfloat16 are taken as exact"));
}

// What is scaled differently before the cast is cast differently, so it is no identity.
TEST(LowerElementwise, CastsToFloat8AreFunctionsOfTheirOwn) {
  const auto cast = [](DType to) {
    return OperatorCall("aten._to_copy.default")
        .tensor({6}, {0.1, 1.0625, -1.1875, 0x1p-10, 464, 1e6})
        .dtype(to)
        .as("dtype")
        .gives(to, {6});
  };
  const CoreProgram program = cast(DType::kFloat8E4M3).lower();
  EXPECT_EQ(program.ops.back().prim, Prim::kMap);
  EXPECT_EQ(program.ops.back().fn, "cast(float8_e4m3fn)");
  EXPECT_THAT(program.notes, ElementsAre());
  EXPECT_THAT(cast(DType::kFloat8E4M3).value(),
              ElementsAre(0.1015625, 1, -1.25, 0, 448, testing::IsNan()));
  EXPECT_THAT(cast(DType::kFloat8E5M2).value(), ElementsAre(0.09375, 1, -1.25, 0x1p-10, 448, kInf));
}

TEST(LowerElementwise, RoundsFloatsToIntegersTowardsZero) {
  EXPECT_THAT(OperatorCall("aten._to_copy.default")
                  .tensor({2}, {-1.5, 2.5})
                  .dtype(DType::kInt64)
                  .gives(DType::kInt64, {2})
                  .value(),
              ElementsAre(-1, 2));
}

TEST(LowerElementwise, RejectsWhatPyTorchRejects) {
  EXPECT_THROW(
      OperatorCall("aten.add.Tensor").tensor({2}, {1, 2}).tensor({3}, {1, 2, 3}).gives({3}).lower(),
      UserError);
  EXPECT_THROW(OperatorCall("aten.where.self")
                   .tensor({2}, {1, 0})
                   .tensor({2}, {1, 2})
                   .number(1)
                   .gives({2})
                   .lower(),
               UserError);
  EXPECT_THROW(OperatorCall("aten.add.Tensor").tensor({2}, {1, 2}).text("3").gives({2}).lower(),
               UserError);
  EXPECT_THROW(OperatorCall("aten.div.Scalar").tensor({2}, {1, 2}).number(0).gives({2}).lower(),
               UserError);
}

}  // namespace
}  // namespace assay::test
