#include "dynamic_check/numbers/random.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamic_check/inputs/generate.h"
#include "dynamic_check/numbers/rounding.h"

namespace assay {
namespace {

TEST(Random, AnElementDependsOnSeedNameAndIndexAlone) {
  const at::Tensor small = normal_tensor({7, "w"}, {16});
  const at::Tensor large = normal_tensor({7, "w"}, {4, 16});
  EXPECT_TRUE(at::equal(small, large.flatten().narrow(0, 0, 16)));
  EXPECT_FALSE(at::equal(small, normal_tensor({8, "w"}, {16})));
  EXPECT_FALSE(at::equal(small, normal_tensor({7, "v"}, {16})));
}

TEST(Random, NormalElementsHaveMeanZeroAndVarianceOne) {
  const at::Tensor sample = normal_tensor({1, "x"}, {100'000});
  EXPECT_NEAR(sample.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(sample.square().mean().item<double>(), 1, 0.03);
}

TEST(Generate, IdsHoldEveryBoundary) {
  DynamicInput ids{.name = "ids",
                   .shape = {64},
                   .dtype = DType::kInt64,
                   .role = InputRole::kTokenIds,
                   .bound = 100};
  const at::Tensor values = generate(ids, 3, {0, 49, 50, 51, 99});
  for (int64_t boundary : {0, 49, 50, 51, 99})
    EXPECT_TRUE(values.eq(boundary).any().item<bool>()) << boundary;
  EXPECT_TRUE(values.ge(0).logical_and(values.lt(100)).all().item<bool>());
}

TEST(Generate, IdsWithoutABoundAreRefused) {
  DynamicInput ids{
      .name = "ids", .shape = {4}, .dtype = DType::kInt64, .role = InputRole::kTokenIds};
  EXPECT_THROW(generate(ids, 0, {}), UserError);
}

TEST(Generate, BoundaryIdsAreTheConstantsOfTheGraphsAndTheirNeighbours) {
  Case refinement;
  refinement.ranks.resize(1);
  Node node;
  node.op = "aten.ge.Scalar";
  node.args = {Arg{TensorArg{0}}, Arg{int64_t{32}}};
  refinement.ranks[0].nodes.push_back(node);
  EXPECT_EQ(boundary_ids(refinement, 64), (std::vector<int64_t>{0, 1, 31, 32, 33, 62, 63}));
}

TEST(RoundingNoise, IsUniformWithoutBiasAndIndependentOfItsNeighbours) {
  const RoundingNoise noise({7, "noise"});
  constexpr int kCount = 1 << 16;
  double sum = 0, squares = 0, largest = 0, products[RoundingNoise::kDrawn] = {};
  for (uint64_t i = 0; i < kCount; ++i) {
    const double error = noise.at(i);
    sum += error;
    squares += error * error;
    largest = std::max(largest, std::abs(error));
    for (uint64_t lag = 1; lag <= RoundingNoise::kDrawn; ++lag)
      products[lag - 1] += error * noise.at(i + lag);
  }
  // Six standard deviations of each.
  EXPECT_NEAR(sum / kCount, 0, 6 * std::sqrt(1.0 / 3 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 6 * std::sqrt(4.0 / 45 / kCount));
  for (const double product : products)
    EXPECT_NEAR(product / kCount, 0, 6 * std::sqrt(1.0 / 9 / kCount));
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 0.999);
}

// Kernels take several elements at once, and the last ones alone.
TEST(RoundingNoise, PerturbsElementIByItsErrorI) {
  constexpr double kRelative = 0x1p-8;
  const RandomKey key{7, "noise"};
  const RoundingNoise noise(key);
  for (const int64_t elements : {1, 15, 16, 17, 100'003}) {
    const at::Tensor tensor = normal_tensor({1, "x"}, {elements});
    const at::Tensor moved = perturbed(tensor, kRelative, key);
    const at::Tensor in_float = perturbed(tensor.to(at::kFloat), kRelative, key);
    for (int64_t i = std::max<int64_t>(0, elements - 40); i < elements; ++i) {
      const double exact = tensor[i].item<double>();
      const double wanted = exact * (1 + kRelative * noise.at(static_cast<uint64_t>(i)));
      EXPECT_NEAR(moved[i].item<double>(), wanted, 1e-15 * std::abs(wanted)) << i;
      EXPECT_NEAR(in_float[i].item<double>(), wanted, 3e-7 * std::abs(wanted)) << i;
    }
  }
}

TEST(RoundingNoise, LeavesWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const double special : {kInfinity, -kInfinity}) {
      const at::Tensor tensor = at::full({33}, special, dtype);
      EXPECT_TRUE(at::equal(perturbed(tensor, 0x1p-8, {7, "noise"}), tensor));
    }
    const at::Tensor nan = at::full({33}, kInfinity - kInfinity, dtype);
    EXPECT_TRUE(perturbed(nan, 0x1p-8, {7, "noise"}).isnan().all().item<bool>());
  }
}

}  // namespace
}  // namespace assay
