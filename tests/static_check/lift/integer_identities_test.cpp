// Quotients, remainders, shifts and masks of integers by constants are written for each other; what
// wraps, and what is right for positive numbers alone, is not.
#include <gtest/gtest.h>

#include "tests/static_check/integer_formulas.h"

namespace assay::test {
namespace {

IntegerFormula remainder(int by) {
  return [by](Integers& i, TensorRef x) { return i.remainder(x, by); };
}
IntegerFormula quotient(int by) {
  return [by](Integers& i, TensorRef x) { return i.quotient(x, by); };
}
IntegerFormula masked(int mask) {
  return [mask](Integers& i, TensorRef x) { return i.masked(x, mask); };
}
IntegerFormula shifted_right(int by) {
  return [by](Integers& i, TensorRef x) { return i.right(x, by); };
}
IntegerFormula shifted_left(int by) {
  return [by](Integers& i, TensorRef x) { return i.left(x, by); };
}
IntegerFormula called(const std::string& op, int by) {
  return [op, by](Integers& i, TensorRef x) { return i(op, x, by); };
}

constexpr DType kSigned[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

TEST(IntegerIdentities, ARemainderIsWhatTheQuotientLeaves) {
  const auto left = [](int by, int times) {
    return [=](Integers& i, TensorRef x) { return i.minus(x, i.times(i.quotient(x, by), times)); };
  };
  for (const DType dtype : kSigned)
    for (const int by : {3, -3, 16, 100}) EXPECT_TRUE(agree(dtype, remainder(by), left(by, by)));
  EXPECT_FALSE(agree(DType::kInt32, remainder(3), left(3, 2)));
  EXPECT_FALSE(agree(DType::kInt32, remainder(3), left(2, 3)));
  EXPECT_FALSE(agree(DType::kInt32, remainder(3), remainder(-3)));
  EXPECT_FALSE(agree(DType::kInt32, remainder(3), called("fmod.Scalar", 3)));
}

TEST(IntegerIdentities, AShiftToTheRightIsAQuotient) {
  for (const DType dtype : kSigned) {
    EXPECT_TRUE(agree(dtype, quotient(16), shifted_right(4)));
    EXPECT_FALSE(agree(dtype, quotient(16), shifted_right(3)));
  }
  EXPECT_TRUE(agree(DType::kUint8, quotient(128), shifted_right(7)));
  EXPECT_FALSE(agree(DType::kInt8, quotient(64), shifted_right(7)));
  EXPECT_FALSE(agree(DType::kInt32, quotient(1), shifted_right(32)));
}

TEST(IntegerIdentities, AMaskOfTheLowBitsIsARemainder) {
  for (const DType dtype : kSigned) {
    EXPECT_TRUE(agree(dtype, remainder(16), masked(15)));
    EXPECT_TRUE(agree(dtype, remainder(2), masked(1)));
    EXPECT_FALSE(agree(dtype, remainder(16), masked(14)));
    EXPECT_FALSE(agree(dtype, remainder(15), masked(15)));
    EXPECT_FALSE(agree(dtype, called("fmod.Scalar", 16), masked(15)));
  }
  EXPECT_TRUE(agree(DType::kUint8, called("fmod.Scalar", 16), masked(15)));
}

TEST(IntegerIdentities, AShiftToTheLeftIsAProductThatWraps) {
  const auto times = [](int by) {
    return [by](Integers& i, TensorRef x) { return i.times(x, by); };
  };
  const auto there_and_back = [](Integers& i, TensorRef x) { return i.right(i.left(x, 3), 3); };
  const auto itself = [](Integers& i, TensorRef x) { return i.times(x, 1); };
  for (const DType dtype : kSigned) EXPECT_TRUE(agree(dtype, times(8), shifted_left(3)));
  EXPECT_TRUE(agree(DType::kUint8, times(8), shifted_left(3)));
  EXPECT_FALSE(agree(DType::kInt32, times(6), shifted_left(3)));
  EXPECT_FALSE(agree(DType::kInt8, itself, there_and_back));
  EXPECT_FALSE(agree(DType::kUint8, itself, there_and_back));
}

TEST(IntegerIdentities, AQuotientOfAQuotientIsThatByTheProduct) {
  const auto twice = [](int a, int b) {
    return [=](Integers& i, TensorRef x) { return i.quotient(i.quotient(x, a), b); };
  };
  for (const DType dtype : kSigned) {
    EXPECT_TRUE(agree(dtype, quotient(6), twice(2, 3)));
    EXPECT_TRUE(agree(dtype, twice(3, 2), twice(2, 3)));
    EXPECT_FALSE(agree(dtype, quotient(5), twice(2, 3)));
  }
  // The product is beyond the type.
  EXPECT_FALSE(agree(DType::kInt8, quotient(1), twice(16, 16)));
}

TEST(IntegerIdentities, WithoutTheRemainderTheQuotientIsTheSameWhereNothingWraps) {
  const auto rounded = [](int by, int quotient) {
    return [=](Integers& i, TensorRef x) {
      return i.quotient(i.minus(x, i.remainder(x, by)), quotient);
    };
  };
  for (const DType dtype : kSigned) EXPECT_TRUE(agree(dtype, quotient(2), rounded(2, 2)));
  EXPECT_FALSE(agree(DType::kInt16, quotient(2), rounded(4, 2)));
  // -128 less 1 is 127.
  EXPECT_FALSE(agree(DType::kInt8, quotient(3), rounded(3, 3)));
}

TEST(IntegerIdentities, BitsAreTurnedAndSetBySums) {
  const auto sum = [](int mask, int times) {
    return [=](Integers& i, TensorRef x) {
      return i.minus(i.plus(x, mask), i.times(i.masked(x, mask), times));
    };
  };
  for (const DType dtype : kSigned) {
    EXPECT_TRUE(agree(dtype, called("bitwise_xor.Scalar", 1), sum(1, 2)));
    EXPECT_TRUE(agree(dtype, called("bitwise_or.Scalar", 7), sum(7, 1)));
    EXPECT_FALSE(agree(dtype, called("bitwise_xor.Scalar", 7), sum(7, 1)));
    EXPECT_FALSE(agree(dtype, called("bitwise_or.Scalar", 6), sum(7, 1)));
  }
}

TEST(IntegerIdentities, TheHighBitsOfAByteAreItsQuotientUnlessItHasASign) {
  const auto high = [](Integers& i, TensorRef x) { return i.masked(i.right(x, 4), 15); };
  EXPECT_TRUE(agree(DType::kUint8, quotient(16), high));
  EXPECT_FALSE(agree(DType::kInt8, quotient(16), high));
  EXPECT_FALSE(agree(DType::kInt64, quotient(16), high));
}

}  // namespace
}  // namespace assay::test
