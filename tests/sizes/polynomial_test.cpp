// Integers that know how they depend on symbols: equal wherever the polynomials are, and every
// other decision is recorded.
#include <gmock/gmock.h>

#include "shared_ir/symbolic/replay.h"

namespace symbolic {
namespace {

std::vector<std::string> texts(const Replay& replay) {
  std::vector<std::string> result;
  for (const Condition& condition : replay.conditions()) result.push_back(condition.text);
  return result;
}

class SymbolicNumber : public testing::Test {
 protected:
  SymbolicNumber() {
    replay.record(true);
    replay.assume_nonnegative(even - 2);
    replay.assume_nonnegative(any - 1);
  }
  Replay replay;
  Number even = replay.symbol("e", 6, 2), any = replay.symbol("n", 5, 1);
};

TEST_F(SymbolicNumber, WhatFollowsFromNormalFormsAndBoundsIsNotRecorded) {
  EXPECT_EQ(even / 2 * 2, even);
  EXPECT_EQ(even % 2, 0);
  EXPECT_EQ((any + 1) * (any - 1), any * any - 1);
  EXPECT_EQ(any * even / any, even);
  EXPECT_TRUE(even + any > 2);
  EXPECT_TRUE(any * even >= even);
  EXPECT_FALSE(any < 1);
  EXPECT_THAT(texts(replay), testing::IsEmpty());
}

TEST_F(SymbolicNumber, EveryOtherDecisionIsRecorded) {
  EXPECT_FALSE(any == 4);
  EXPECT_TRUE(any < even);
  EXPECT_EQ(static_cast<int64_t>(any), 5);
  EXPECT_THAT(texts(replay), testing::ElementsAre("n - 4 != 0", "-n + e > 0", "n - 5 == 0"));
}

TEST_F(SymbolicNumber, AQuotientThatDoesNotGoThroughIsAnIntegerOfItsOwn) {
  const Number half = any / 2;
  EXPECT_EQ(half.value(), 2);
  EXPECT_EQ((any + 4) / 2, half + 2);
  EXPECT_EQ(decimal(any - half), "-((n) // (2)) + n");
  EXPECT_THAT(texts(replay), testing::IsEmpty());
  EXPECT_EQ(any % 2, 1);
  EXPECT_THAT(texts(replay), testing::SizeIs(1));
}

// Sentinels of 64 bits, and products of coefficients, leave 64 bits where the ordinary sources have
// wider integers.
TEST_F(SymbolicNumber, ConstantsDoNotWrapAround) {
  const Number low = INT64_MIN, high = INT64_MAX;
  EXPECT_TRUE(low * 2 - 3 < low);
  EXPECT_TRUE(high + 1 > high);
  EXPECT_FALSE(high * high == 1);
  EXPECT_TRUE(Number(int64_t{1} << 40) * (int64_t{1} << 40) > high);
  EXPECT_EQ(low * 2 - low, low);
  EXPECT_EQ((high + high) / 2, high);
  EXPECT_EQ(decimal(low * 1000), "-9223372036854775808000");
  EXPECT_EQ(decimal(high * 1'000'000'000 * 1'000'000'000), "9223372036854775807000000000000000000");
  Number sum;
  EXPECT_TRUE(add_overflow(high, 1, &sum));
  EXPECT_TRUE(mul_overflow(high, high, &sum));
  EXPECT_FALSE(add_overflow(high, -1, &sum));
  EXPECT_THROW(high * high * high * high, Overflow);
  EXPECT_THROW(static_cast<void>(static_cast<int64_t>(high + 1)), Overflow);
  EXPECT_THAT(texts(replay), testing::IsEmpty());
}

// What depends on the symbols is taken to stay below 2^58; beside a larger constant it is kept, and
// comes back where the constant goes.
TEST_F(SymbolicNumber, WhatIsBesideAnInfinityIsNotLost) {
  const Number high = INT64_MAX;
  EXPECT_TRUE(any < high);
  EXPECT_TRUE(high - any > any * even);
  EXPECT_THAT(texts(replay), testing::IsEmpty());
  EXPECT_EQ(high - any - high, -any);
  EXPECT_TRUE(high + any != high + 4);
  EXPECT_TRUE(high - any < high);
  EXPECT_THAT(texts(replay), testing::ElementsAre("n - 4 != 0"));
  EXPECT_THROW((void)(high * any < high), Overflow);
}

TEST_F(SymbolicNumber, EveryConversionIsADecision) {
  EXPECT_EQ(std::vector<int>(8)[any], 0);
  EXPECT_EQ(static_cast<double>(even), 6.0);
  EXPECT_TRUE(static_cast<bool>(any + even));
  EXPECT_EQ((any * 3) >> 1, 7);
  EXPECT_THAT(texts(replay),
              testing::ElementsAre("n - 5 == 0", "e - 6 == 0", "n + e - 11 == 0", "3*n - 15 == 0"));
  EXPECT_THROW((void)std::vector<int>(8)[any - 6], std::logic_error);
}

TEST_F(SymbolicNumber, OrderIsOneDecision) {
  EXPECT_TRUE((any <=> even) < 0);
  EXPECT_TRUE((any * 2 <=> even + 4) == 0);
  EXPECT_THAT(texts(replay), testing::ElementsAre("-n + e > 0", "2*n - e - 4 == 0"));
}

TEST_F(SymbolicNumber, TruncationOfNegativeNumbersIsDecided) {
  EXPECT_EQ((any - 8) / 2, -1);
  EXPECT_EQ((4 - even) % 4, -2);
  EXPECT_THAT(texts(replay), testing::ElementsAre("n - 5 == 0", "e - 6 == 0"));
}

TEST_F(SymbolicNumber, WhatIsNotBelowIsDecided) {
  EXPECT_FALSE(any * 2 < even);
  EXPECT_THAT(texts(replay), testing::ElementsAre("2*n - e >= 0"));
}

// Division rounds towards zero, and its quotient is a polynomial in a range of sizes.
TEST_F(SymbolicNumber, ADivisionDecidesSignsAndRanges) {
  EXPECT_EQ((any - 3) / 2, (any + 1) / 2 - 2);
  EXPECT_THAT(texts(replay), testing::ElementsAre("n - 3 >= 0"));
  EXPECT_EQ(6 * any / (any - 2), 10);
  EXPECT_THAT(texts(replay),
              testing::ElementsAre("n - 3 >= 0", "n - 2 > 0", "-4*n + 20 >= 0", "5*n - 22 > 0"));
}

TEST_F(SymbolicNumber, AnExactDivisionDecidesThatItIsNotByZero) {
  EXPECT_EQ(any * (any - 2) / (any - 2), any);
  EXPECT_THAT(texts(replay), testing::ElementsAre("n - 2 != 0"));
}

TEST_F(SymbolicNumber, EqualTextsAreEqualNumbers) {
  const Number x = (any + 2) * even, y = even * any + even + even;
  EXPECT_EQ(decimal(x), decimal(y));
  EXPECT_EQ(replay.parse(decimal(x))->polynomial(), y.polynomial());
}

}  // namespace
}  // namespace symbolic
