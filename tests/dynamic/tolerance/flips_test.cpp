// Integers and booleans that rounding decides: what they excuse, and what they do not.
#include "dynamic_check/tolerance/flips.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/tolerance/statistics.h"
#include "tests/dynamic/support/two_ranks.h"

namespace assay {
namespace {

using test::on_two_ranks;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kDecisions = 64;

// x * 3 / 3 >= x + 1, which is false; of the last `ties` elements x * 3 / 3 >= x, which rounding
// decides.
at::Tensor decisions(const at::Tensor& x, int64_t ties) {
  const at::Tensor again = x * 3 / 3;
  const int64_t clear = kDecisions - ties;
  return at::cat({again.slice(0, 0, clear) >= x.slice(0, 0, clear) + 1,
                  again.slice(0, clear) >= x.slice(0, clear)});
}

test::Mlp deciding(int64_t ties, bool right) {
  return on_two_ranks(
      {kDecisions}, test::kWhole,
      [=](ProgramContext&, const at::Tensor& x) { return decisions(x, ties); },
      [=](ProgramContext&, const at::Tensor& x) {
        const at::Tensor y = decisions(x, ties);
        return right ? y : y.logical_not();
      });
}

DynamicReport check_decisions(const test::Mlp& programs, uint64_t seed = 1) {
  return dynamic_check(programs.refinement, programs.relations, Verdict::kProved, programs.programs,
                       {.seed = seed});
}

TEST(Flips, OfFewElementsDoNotExcuseTheOthers) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const DynamicReport right = check_decisions(deciding(2, true), seed);
    EXPECT_EQ(right.verdict, RunVerdict::kAgrees) << "seed " << seed;
    EXPECT_EQ(right.compared, 1);
    const DynamicReport wrong = check_decisions(deciding(2, false), seed);
    EXPECT_EQ(wrong.verdict, RunVerdict::kDeviates) << "seed " << seed;
    ASSERT_TRUE(wrong.first_deviation);
    EXPECT_EQ(wrong.first_deviation->tensor, "y");
    EXPECT_THAT(wrong.first_deviation->detail,
                HasSubstr("flips under rounding: margin: 64 of 64 elements differ"));
  }
}

// The same wrong program without ties, and with nothing else.
TEST(Flips, WithoutTiesEveryElementCounts) {
  EXPECT_EQ(check_decisions(deciding(0, true)).verdict, RunVerdict::kAgrees);
  const DynamicReport wrong = check_decisions(deciding(0, false));
  EXPECT_EQ(wrong.verdict, RunVerdict::kDeviates);
  EXPECT_THAT(wrong.first_deviation->detail, HasSubstr("64 of 64 elements differ"));
}

TEST(Flips, AnOutputThatRoundingAloneDecidesIsNoPassWhereItDiffers) {
  const DynamicReport report = check_decisions(deciding(kDecisions, false));
  EXPECT_EQ(report.verdict, RunVerdict::kInconclusive);
  EXPECT_EQ(report.triage, "not_compared") << "there is a proof";
  EXPECT_EQ(report.compared, 0);
  EXPECT_EQ(report.skipped, 2);  // as a relation, and as an expectation
  EXPECT_THAT(report.uncompared, Contains(HasSubstr("y: decided by rounding alone")));
}

// As where inputs lie on a grid, and a floor is of what lies on it.
TEST(Flips, WhatIsEqualEverywhereIsComparedThoughRoundingDecidesIt) {
  const DynamicReport report = check_decisions(deciding(kDecisions, true));
  EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
  EXPECT_EQ(report.triage, "pass");
  EXPECT_EQ(report.compared, 1);
  EXPECT_THAT(report.uncompared, IsEmpty());
}

TEST(Flips, ThatArePassedAreInTheReport) {
  const test::Mlp programs = on_two_ranks(
      {kDecisions}, test::kWhole,
      [](ProgramContext&, const at::Tensor& x) { return decisions(x, 2); },
      [](ProgramContext&, const at::Tensor& x) {
        const at::Tensor y = decisions(x, 2);
        return at::cat({y.slice(0, 0, kDecisions - 2), y.slice(0, kDecisions - 2).logical_not()});
      });
  const DynamicReport report = check_decisions(programs);
  EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
  EXPECT_THAT(report.flips, Contains(HasSubstr("y: flips under rounding: margin: 2 of 64")));
}

TEST(Flips, AreCountedByElementAndRun) {
  const at::Tensor run = at::zeros({4}, at::kLong);
  Flips flips;
  flips.add(run, run);
  EXPECT_FALSE(flips.any());
  EXPECT_EQ(flips.unseen(1e-6), 0);
  flips.add(run, at::tensor({0, 1, 0, 0}));
  flips.add(run, at::tensor({0, 1, 2, 0}));
  EXPECT_EQ(flips.runs(), 3);
  EXPECT_EQ(flips.elements(), 2);
  EXPECT_EQ(flips.unseen(1e-6), 2 * poisson_quantile(0.5, 1e-6));
  Flips further;
  further.add(run, at::tensor({3, 0, 0, 0}));
  flips.add(further);
  EXPECT_EQ(flips.runs(), 4);
  EXPECT_EQ(flips.elements(), 3);
}

TEST(PoissonQuantile, IsTheSmallestNumberThatIsExceededRarely) {
  // P(X > 0) = 1 - exp(-1) and P(X > 1) = 1 - 2 exp(-1) for a mean of 1.
  EXPECT_EQ(poisson_quantile(1, 0.64), 0);
  EXPECT_EQ(poisson_quantile(1, 0.27), 1);
  EXPECT_EQ(poisson_quantile(1, 0.26), 2);
  EXPECT_EQ(poisson_quantile(0.001, 0.01), 0);
}

}  // namespace
}  // namespace assay
