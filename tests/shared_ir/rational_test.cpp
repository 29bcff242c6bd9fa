#include "shared_ir/rational.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace assay {
namespace {

TEST(Rational, IsKeptInLowestTermsWithPositiveDenominator) {
  EXPECT_EQ(Rational(4, -6), Rational(-2, 3));
  EXPECT_EQ(to_string(Rational(4, -6)), "-2/3");
  EXPECT_EQ(to_string(Rational(6, 3)), "2");
  EXPECT_EQ(Rational(0, 5), Rational(0));
}

TEST(Rational, ArithmeticObeysTheFieldLaws) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> number(-1000, 1000);
  for (int i = 0; i < 1000; ++i) {
    const Rational a(number(random), 1 + std::abs(number(random)));
    const Rational b(number(random), 1 + std::abs(number(random)));
    const Rational c(number(random), 1 + std::abs(number(random)));
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ(a - b, -(b - a));
    if (!b.is_zero()) {
      EXPECT_EQ(a / b * b, a);
    }
  }
}

TEST(Rational, OverflowIsThrownAndNeverWraps) {
  const Rational large(std::numeric_limits<int64_t>::max());
  EXPECT_THROW(large + 1, RationalOverflow);
  EXPECT_THROW(large * 2, RationalOverflow);
  EXPECT_THROW(-Rational(std::numeric_limits<int64_t>::min()), RationalOverflow);
  EXPECT_EQ(large - 1 + 1, large);
}

TEST(RationalFromDouble, TakesTheSimplestFractionThatRoundsToTheConstant) {
  const auto third = rational_from_double(1.0 / 3);
  EXPECT_TRUE(third.exact && third.rounded);
  EXPECT_EQ(third.value, Rational(1, 3));
  EXPECT_EQ(rational_from_double(static_cast<double>(1.0f / 3)).value, Rational(1, 3));
  EXPECT_EQ(rational_from_double(0.1).value, Rational(1, 10));
}

TEST(RationalFromDouble, DoesNotTakeAnApproximationForAThird) {
  EXPECT_EQ(rational_from_double(0.3333).value, Rational(3333, 10000));
}

TEST(RationalFromDouble, KeepsDyadicConstantsUnrounded) {
  for (double constant : {0.0, 1.0, -0.5, 0.015625, 3.0, 1048576.0, 0x1p-40}) {
    const auto result = rational_from_double(constant);
    EXPECT_TRUE(result.exact);
    EXPECT_FALSE(result.rounded) << constant;
    EXPECT_EQ(result.value.to_double(), constant);
  }
}

TEST(RationalFromDouble, FallsBackToTheExactBinaryValue) {
  const auto root = rational_from_double(std::sqrt(2.0));
  EXPECT_TRUE(root.exact);
  EXPECT_FALSE(root.rounded);
  EXPECT_EQ(root.value.to_double(), std::sqrt(2.0));
}

TEST(RationalFromDouble, DifferentConstantsStayDifferent) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> number(-4, 4);
  for (int i = 0; i < 2000; ++i) {
    const double a = number(random);
    const double b = std::nextafter(a, 10);
    EXPECT_FALSE(rational_from_double(a).value == rational_from_double(b).value) << a;
    const auto c = static_cast<float>(a);
    const float d = std::nextafter(c, 10.0f);
    EXPECT_FALSE(rational_from_double(c).value == rational_from_double(d).value) << c;
  }
}

TEST(RationalFromDouble, SaysWhenNothingFits) {
  EXPECT_FALSE(rational_from_double(std::numeric_limits<double>::infinity()).exact);
  EXPECT_FALSE(rational_from_double(std::nan("")).exact);
  EXPECT_FALSE(rational_from_double(1e300).exact);
  EXPECT_FALSE(rational_from_double(1e-300).exact);
}

}  // namespace
}  // namespace assay
