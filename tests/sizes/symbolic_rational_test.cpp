// Coefficients that depend on symbols: arithmetic is that of fractions at every instance, powers of
// two take no room there either, and what holds at some instances alone is recorded.
#include <gtest/gtest.h>

#include <cmath>

#include "shared_ir/rational.h"
#include "shared_ir/symbolic/replay.h"

namespace assay {
namespace {

class SymbolicRational : public testing::Test {
 protected:
  SymbolicRational() { replay_.record(true); }

  symbolic::Replay replay_;
  const Int even_ = replay_.symbol("even", 8, 2), any_ = replay_.symbol("any", 6, 1);
};

TEST_F(SymbolicRational, ArithmeticIsThatOfFractions) {
  EXPECT_TRUE(Rational(even_) * Rational(1, 4) == Rational(even_, 4));
  EXPECT_TRUE(Rational(even_, 4) + Rational(1, 4) == Rational(even_ + 1, 4));
  EXPECT_TRUE(Rational(4 * even_, even_) == Rational(4));
  EXPECT_TRUE(Rational(any_, 12) * 12 / any_ == Rational(1));
  EXPECT_TRUE((Rational(any_) - Rational(any_)).is_zero());
  EXPECT_TRUE(Rational(even_, 2).is_integer());
  EXPECT_FALSE(Rational(any_, 2).is_integer());  // at some instances it is none
  for (const symbolic::Condition& condition : replay_.conditions())
    EXPECT_EQ(condition.text.find("=="), std::string::npos) << condition.text;
}

TEST_F(SymbolicRational, PowersOfTwoTakeNoRoom) {
  const Rational scale = rational_from_double(1 / std::sqrt(32.0)).value;
  const Rational far = scale * Rational(1, 1 << 20) * Rational(1, even_);
  EXPECT_TRUE(far * even_ * (1 << 20) == scale);
  EXPECT_EQ(far.to_double(), scale.to_double() / 8 / (1 << 20));
}

// The numbers differ in powers of two, as they are stored, or do not.
TEST_F(SymbolicRational, AnEqualityOfSomeInstancesIsRecorded) {
  EXPECT_TRUE(Rational(even_) == Rational(8));
  EXPECT_TRUE(Rational(8) == Rational(even_));
  EXPECT_EQ(replay_.conditions().size(), 1U);
  EXPECT_FALSE(Rational(any_) == Rational(4));
  EXPECT_EQ(replay_.conditions().size(), 2U);
  EXPECT_FALSE(Rational(any_) == Rational(3));
  EXPECT_EQ(replay_.conditions().size(), 3U);
}

}  // namespace
}  // namespace assay
