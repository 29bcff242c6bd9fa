#include "dynamic_check/tolerance/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(Statistics, NormalQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-7), -5.199337582290661, 1e-10);
}

TEST(Statistics, ChiSquareQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(chi_square_quantile(0.05, 9), 3.325112843066815, 1e-9);
  EXPECT_NEAR(chi_square_quantile(0.95, 2), 5.991464547107979, 1e-9);
  EXPECT_NEAR(chi_square_quantile(0.025, 29), 16.04707170, 1e-6);
}

// The multiples at a coverage of 1 - 1e-6 that the literature gives.
TEST(Statistics, FewerSamplesAllowALargerMultiple) {
  EXPECT_NEAR(tolerance_factor(3, 1 - 1e-6), 30.7, 0.2);
  EXPECT_NEAR(tolerance_factor(5, 1 - 1e-6), 14.05, 0.1);
  EXPECT_NEAR(tolerance_factor(10, 1 - 1e-6), 8.93, 0.05);
  EXPECT_NEAR(tolerance_factor(30, 1 - 1e-6), 6.57, 0.05);
}

// Without an event the bound solves (1 - p)^n = 0.05: the rule of three.
TEST(Statistics, WhatNeverHappenedIsBoundedByTheRuleOfThree) {
  for (const int64_t trials : {1, 10, 100, 1000, 100'000}) {
    const double bound = binomial_upper_bound(0, trials, 0.95);
    EXPECT_NEAR(bound, 1 - std::pow(0.05, 1 / static_cast<double>(trials)), 1e-12) << trials;
    EXPECT_LE(bound * static_cast<double>(trials), 3);
  }
}

// Clopper and Pearson's limits, as tables give them.
TEST(Statistics, EventsRaiseTheBound) {
  EXPECT_NEAR(binomial_upper_bound(1, 10, 0.95), 0.394163, 1e-5);
  EXPECT_NEAR(binomial_upper_bound(5, 20, 0.975), 0.491046, 1e-5);
  EXPECT_EQ(binomial_upper_bound(7, 7, 0.95), 1);
  EXPECT_LT(binomial_upper_bound(0, 1000, 0.95), binomial_upper_bound(1, 1000, 0.95));
}

}  // namespace
}  // namespace assay
