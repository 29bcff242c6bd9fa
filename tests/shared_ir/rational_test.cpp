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

TEST(Rational, ArithmeticIsThatOfFractionsAtEveryScale) {
  std::mt19937 random(8);
  std::uniform_int_distribution<int64_t> number(-1000, 1000);
  std::uniform_int_distribution<int> scale(0, 40);
  const auto drawn = [&] {
    const Rational x(number(random) << scale(random), (1 + std::abs(number(random))) * 4);
    return x;
  };
  for (int i = 0; i < 1000; ++i) {
    const Rational a = drawn(), b = drawn();
    const auto over = [](const Rational& x, int64_t by) { return x * Rational(1, by) * by; };
    EXPECT_EQ(over(a, int64_t{1} << 62) + b, a + b);
    EXPECT_DOUBLE_EQ((a * b).to_double(), a.to_double() * b.to_double());
    EXPECT_NEAR((a - b).to_double(), a.to_double() - b.to_double(),
                1e-12 * (std::abs(a.to_double()) + std::abs(b.to_double())));
    if (!(a - b).is_zero()) {
      EXPECT_EQ((a - b).is_positive(), a.to_double() > b.to_double());
    }
  }
}

TEST(Rational, OverflowIsThrownAndNeverWraps) {
  const Rational large(std::numeric_limits<int64_t>::max());
  EXPECT_THROW(large + 2, RationalOverflow);
  EXPECT_THROW(large * 3, RationalOverflow);
  EXPECT_THROW(large + Rational(1, 2), RationalOverflow);
  EXPECT_EQ(large - 1 + 1, large);
  EXPECT_EQ(large + 1 - 1, large);
  const Rational smallest(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(smallest.numerator(), std::numeric_limits<int64_t>::min());
  EXPECT_THROW((-smallest).numerator(), RationalOverflow);
  const Rational far = Rational(1, int64_t{1} << 62) * Rational(1, int64_t{1} << 62);
  EXPECT_THROW(far + 1, RationalOverflow);
  EXPECT_THROW(far + ((int64_t{1} << 61) + 1), RationalOverflow);
  EXPECT_EQ(far * far + 0, far * far);
  EXPECT_EQ(0 + far * far, far * far);
  EXPECT_EQ(1 / (far * far) + 0, 1 / (far * far));
  EXPECT_THROW(far.denominator(), RationalOverflow);
  Rational power = 2;
  EXPECT_THROW(
      {
        for (int i = 0; i < 10; ++i) power = power * power;
      },
      RationalOverflow);
}

// A scale of attention, 1 / sqrt(32), is a fraction of 53 bits; sizes divide its gradients.
TEST(Rational, PowersOfTwoTakeNoRoom) {
  const Rational scale = rational_from_double(1 / std::sqrt(32.0)).value;
  const Rational gradient = scale * Rational(1, 4096) * Rational(3, 8192);
  EXPECT_EQ(gradient.to_double(), 3 / std::sqrt(32.0) / 4096 / 8192);
  EXPECT_EQ(gradient * 4096 * 8192, scale * 3);
  EXPECT_EQ(gradient + gradient, gradient * 2);
  EXPECT_EQ(gradient - gradient, Rational(0));
  EXPECT_EQ(to_string(Rational(-3, int64_t{1} << 62) * Rational(1, 256)),
            "-3/1180591620717411303424");
  EXPECT_EQ(to_string(Rational(int64_t{1} << 62) * 6), "27670116110564327424");
}

TEST(Rational, KnowsWhetherItIsAShortFraction) {
  EXPECT_TRUE(Rational(-7, 8).fits(8));
  EXPECT_FALSE(Rational(-7, 8).fits(7));
  EXPECT_FALSE(Rational(-9, 8).fits(8));
  EXPECT_TRUE(Rational(0).fits(1));
  EXPECT_TRUE(Rational(12).is_integer());
  EXPECT_FALSE(Rational(12, 8).is_integer());
  EXPECT_FALSE(Rational(1, int64_t{1} << 62).fits(1 << 20));
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
