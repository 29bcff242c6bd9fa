#include "dynamic_check/tolerance/statistics.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay
