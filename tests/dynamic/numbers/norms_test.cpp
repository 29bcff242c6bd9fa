#include "dynamic_check/numbers/norms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamic_check/numbers/random.h"

namespace assay {
namespace {

TEST(Norms, TheWholeIsTheFrobeniusNorm) {
  const at::Tensor a = normal_tensor({1, "a"}, {50, 7});
  const Norms norms = difference_norms(a, at::zeros_like(a));
  EXPECT_NEAR(norms.whole, a.norm().item<double>(), 1e-12 * norms.whole);
}

TEST(Norms, AnErrorInTheLastBlockShowsThereAlone) {
  const at::Tensor a = normal_tensor({1, "a"}, {128, 64});
  at::Tensor b = a.clone();
  b.view({-1})[b.numel() - 1] += 3;
  const Norms norms = difference_norms(a, b);
  EXPECT_EQ(norms.blocks.size(), 64u);
  EXPECT_DOUBLE_EQ(norms.blocks.back(), 3);
  EXPECT_EQ(norms.blocks.front(), 0);
}

TEST(Norms, EmptyAndScalarTensorsHaveNorms) {
  EXPECT_EQ(difference_norms(at::zeros({0}, at::kDouble), at::zeros({0}, at::kDouble)).whole, 0);
  EXPECT_EQ(difference_norms(at::zeros({}, at::kDouble), at::zeros({}, at::kDouble) + 2).whole, 2);
}

TEST(Norms, NanAndInfinityMustStandAtTheSamePlaces) {
  at::Tensor a = at::zeros({4}, at::kDouble);
  at::Tensor b = a.clone();
  a[0] = std::numeric_limits<double>::quiet_NaN();
  a[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(special_mismatches(a, a), 0);
  EXPECT_EQ(special_mismatches(a, b), 2);
  b[1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(special_mismatches(a, b), 2);
}

TEST(Norms, ElementsThatAreNotFiniteAreLeftOutAndSeen) {
  for (const int64_t special : {0, 40, 99}) {  // elements are taken several at once
    const at::Tensor a = normal_tensor({1, "a"}, {100}).to(at::kFloat);
    const at::Tensor b = at::zeros_like(a);
    EXPECT_TRUE(difference_norms(a, b).finite);
    a[special] = std::numeric_limits<double>::infinity();
    const Norms norms = difference_norms(a, b);
    EXPECT_FALSE(norms.finite) << special;
    a[special] = 0;
    EXPECT_DOUBLE_EQ(norms.whole, difference_norms(a, b).whole) << special;
  }
}

TEST(Norms, OneElementThatIsNotFiniteIsSeenAnywhere) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    at::Tensor a = normal_tensor({1, "a"}, {100}).to(dtype);
    a[1] = 0;
    a[2] = dtype == at::kHalf ? 65504 : 1e38;
    EXPECT_TRUE(all_finite(a)) << dtype;
    for (const double special :
         {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()}) {
      for (int64_t i = 0; i < a.numel(); ++i) {
        at::Tensor changed = a.clone();
        changed[i] = special;
        EXPECT_FALSE(all_finite(changed)) << dtype << " " << special << " at " << i;
      }
    }
  }
  EXPECT_TRUE(all_finite(at::zeros({0}))) << "none";
}

}  // namespace
}  // namespace assay
