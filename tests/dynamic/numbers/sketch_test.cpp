// Distances between tensors, estimated from their sketches.
#include "dynamic_check/numbers/sketch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/tolerance/spread.h"

namespace assay {
namespace {

constexpr int64_t kRows = 1000, kColumns = 512;

at::Tensor values(const std::string& name) { return normal_tensor({7, name}, {kRows, kColumns}); }

Norms estimate(const at::Tensor& a, const at::Tensor& b) {
  return Sketch(a).distance_to(Sketch(b));
}

// The whole has 64 times as many buckets as a block.
void expect_close(const Norms& estimated, const Norms& exact) {
  ASSERT_EQ(estimated.blocks.size(), exact.blocks.size());
  EXPECT_NEAR(estimated.whole, exact.whole, 0.1 * exact.whole);
  for (size_t i = 0; i < exact.blocks.size(); ++i)
    EXPECT_NEAR(estimated.blocks[i], exact.blocks[i], 0.4 * exact.blocks[i]) << "block " << i;
}

// However the difference is spread over the tensor.
TEST(Sketch, EstimatesDistancesByBlockAndOfAll) {
  const at::Tensor x = values("x");
  at::Tensor column = at::zeros_like(x), rows = at::zeros_like(x), constant = at::ones_like(x);
  column.select(1, 77).fill_(1);
  rows.slice(0, 3, kRows, 10).fill_(1);
  for (const at::Tensor& error : {values("e"), column, rows, constant, values("e") * column}) {
    const at::Tensor y = x + 1e-6 * error;
    expect_close(estimate(y, x), difference_norms(y, x));
  }
}

TEST(Sketch, OfOneElementIsExact) {
  const at::Tensor x = values("x");
  for (const int64_t place : {int64_t{0}, kColumns * 500 + 3, kRows * kColumns - 1}) {
    at::Tensor y = x.clone();
    y.view(-1)[place] += 1e-3;
    const Norms estimated = estimate(y, x), exact = difference_norms(y, x);
    EXPECT_NEAR(estimated.whole, exact.whole, 1e-12);
    for (size_t i = 0; i < exact.blocks.size(); ++i)
      EXPECT_NEAR(estimated.blocks[i], exact.blocks[i], 1e-12);
  }
}

// The same signs and buckets whatever the type, and however the tensor lies in memory.
TEST(Sketch, ComparesTensorsOfDifferentTypesAndStrides) {
  const at::Tensor x = values("x").to(at::kBFloat16);
  EXPECT_EQ(estimate(x, x.to(at::kDouble)).whole, 0);
  EXPECT_EQ(estimate(x.to(at::kHalf).to(at::kFloat), x.to(at::kHalf)).whole, 0);
  EXPECT_EQ(estimate(x.t().contiguous().t(), x).whole, 0);
  EXPECT_GT(estimate(x.view({kColumns, kRows}).t().contiguous().view({kRows, kColumns}), x).whole,
            1);
}

// In the mean of the squares there is no bias.
TEST(Sketch, IsRightOnAverage) {
  double sum = 0;
  constexpr int kPairs = 50;
  for (int i = 0; i < kPairs; ++i) {
    const at::Tensor x = values(std::to_string(i));
    const double estimated = estimate(x, at::zeros_like(x)).blocks[5],
                 exact = norms_of(x).blocks[5];
    sum += estimated * estimated / (exact * exact);
  }
  EXPECT_NEAR(sum / kPairs, 1, 5 * std::sqrt(2.0 / kSketchBuckets / kPairs));
}

TEST(Sketch, KnowsWhetherSomethingIsNotFinite) {
  const at::Tensor x = values("x").to(at::kFloat);
  EXPECT_TRUE(Sketch(x).finite());
  for (const double special :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    at::Tensor y = x.clone();
    y.view(-1)[kRows * kColumns - 1] = special;
    EXPECT_FALSE(Sketch(y).finite());
    EXPECT_FALSE(estimate(x, y).finite);
    EXPECT_FALSE(Spread::sketched(y.to(at::kDouble)));
  }
}

TEST(Spread, OfASketchAllowsAboutWhatThatOfTheExactValueDoes) {
  const at::Tensor exact = values("x");
  Spread kept(exact), sketched = *Spread::sketched(exact);
  EXPECT_FALSE(kept.is_estimate());
  EXPECT_TRUE(sketched.is_estimate());
  EXPECT_FALSE(sketched.exact().defined());
  for (int sample = 0; sample < 10; ++sample) {
    const at::Tensor noisy = exact + 1e-6 * values(std::to_string(sample));
    kept.add(noisy);
    sketched.add(noisy);
  }
  const Norms estimated = sketched.allowed(1, 1, 0), allowed = kept.allowed(1, 1, 0);
  EXPECT_NEAR(estimated.whole, allowed.whole, 0.02 * allowed.whole);
  for (size_t i = 0; i < allowed.blocks.size(); ++i)
    EXPECT_NEAR(estimated.blocks[i], allowed.blocks[i], 0.15 * allowed.blocks[i]);
  EXPECT_EQ(sketched.norms().whole, kept.norms().whole);
  const Spread none = sketched.without_samples();
  EXPECT_TRUE(none.is_estimate());
  EXPECT_EQ(none.samples(), 0);
  EXPECT_EQ(none.norms().whole, kept.norms().whole);
}

// An estimate near the tolerance decides nothing.
TEST(Comparison, WithASketchLeavesWhatIsNearItsToleranceToExactValues) {
  const at::Tensor exact = values("x");
  constexpr double kAllowed = 1e-4;
  const auto is_within = [&](Spread spread, double error) {
    ExpectedTensor reference;
    reference.dtype = at::kDouble;
    reference.shape = exact.sizes().vec();
    reference.spread = std::move(spread);
    return compare(exact * (1 + error * kAllowed), at::kDouble, reference, {.bound = kAllowed})
        .within;
  };
  const Spread kept(exact), sketched = *Spread::sketched(exact);
  EXPECT_TRUE(is_within(kept, 0.8));
  EXPECT_FALSE(is_within(kept, 1.2));
  EXPECT_TRUE(is_within(sketched, 0.3));
  EXPECT_FALSE(is_within(sketched, 0.8));
  EXPECT_FALSE(is_within(sketched, 1.2));
}

}  // namespace
}  // namespace assay
