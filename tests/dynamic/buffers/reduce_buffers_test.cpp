// The arithmetic of collectives.
#include "dynamic_check/buffers/reduce_buffers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dynamic_check/buffers/element.h"
#include "tests/dynamic/support/number_oracle.h"

namespace assay {
namespace {

using test::random_buffer;
using test::value_of;

StridedBuffer reduce(Reduction reduction, const std::vector<StridedBuffer>& members) {
  StridedBuffer result = make_buffer(members.front().dtype, members.front().shape, false);
  reduce_buffers(reduction, members, result.owned.get());
  return result;
}

class Reductions : public testing::TestWithParam<DType> {};

TEST_P(Reductions, RoundEveryStepToTheNearestNumberOfTheType) {
  const DType dtype = GetParam();
  // More than the part of the members that is reduced at a time.
  const Shape shape{3, 1667};
  for (const Reduction reduction : test::kReductions) {
    for (const size_t count : {1, 2, 3, 5}) {
      if (reduction == Reduction::kAverage && !is_floating(dtype)) continue;
      std::vector<StridedBuffer> members;
      for (size_t i = 0; i < count; ++i)
        members.push_back(random_buffer(dtype, shape, 10 * count + i));
      EXPECT_TRUE(test::has_bits(reduce(reduction, members), test::reduced(reduction, members)))
          << to_string(reduction) << " of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryType, Reductions, testing::ValuesIn(test::kTypes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(ReduceBuffers, IntegersAndBoolsHaveNoAverage) {
  for (const DType dtype : test::kTypes) {
    const std::vector<StridedBuffer> ones(2, make_buffer(dtype, {1}, true));
    if (is_floating(dtype)) continue;
    EXPECT_THROW(reduce(Reduction::kAverage, ones), UserError);
  }
}

TEST(ReduceBuffers, WhatHasNoElementsReducesToNothing) {
  const std::vector<StridedBuffer> empty(2, make_buffer(DType::kFloat32, {0, 3}, false));
  EXPECT_NO_THROW(reduce_buffers(Reduction::kSum, empty, nullptr));
}

TEST(ReduceBuffers, MembersThatDifferAreRefused) {
  const StridedBuffer floats = make_buffer(DType::kFloat32, {4}, true);
  const StridedBuffer more = make_buffer(DType::kFloat32, {5}, true);
  const StridedBuffer ints = make_buffer(DType::kInt32, {4}, true);
  EXPECT_THROW(reduce(Reduction::kSum, {floats, more}), InternalError);
  EXPECT_THROW(reduce(Reduction::kSum, {floats, ints}), InternalError);
}

TEST(ReduceBuffers, ReductionsHaveTheirNames) {
  for (const Reduction reduction : test::kReductions)
    EXPECT_EQ(parse_reduction(to_string(reduction)), reduction);
  EXPECT_EQ(parse_reduction("band"), std::nullopt);
}

// Exhaustive: each number of the type, what lies in the middle of it and the next, and on both
// sides of the middle.
template <typename T>
void expect_nearest(DType dtype) {
  const auto rounds = [&](float number) {
    const uint64_t bits = T::nearest(number).bits;
    const uint64_t minus = T::nearest(-number).bits;
    EXPECT_EQ(value_of(dtype, minus), -value_of(dtype, bits));
    return bits;
  };
  for (uint64_t bits = 0;; ++bits) {
    const double number = value_of(dtype, bits), next = value_of(dtype, bits + 1);
    ASSERT_EQ(rounds(static_cast<float>(number)), bits);
    if (!std::isfinite(next)) break;
    const auto middle = static_cast<float>((number + next) / 2);
    ASSERT_EQ(rounds(middle), bits + bits % 2);
    ASSERT_EQ(rounds(std::nextafter(middle, 0.0F)), bits);
    ASSERT_EQ(rounds(std::nextafter(middle, INFINITY)), bits + 1);
  }
  // Also where adding to the bits of what is no number carries into the sign.
  for (const uint32_t none : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xffffffffu})
    EXPECT_TRUE(std::isnan(value_of(dtype, T::nearest(std::bit_cast<float>(none)).bits)));
}

TEST(Element, FloatsRoundToTheNearestOfTwoNumbersAndHalfwayToTheEvenOne) {
  expect_nearest<Float16>(DType::kFloat16);
  expect_nearest<Float8E4M3>(DType::kFloat8E4M3);
  expect_nearest<Float8E5M2>(DType::kFloat8E5M2);
  expect_nearest<BFloat16>(DType::kBFloat16);
}

TEST(Element, WhatIsTooLargeIsInfiniteOrNoNumber) {
  EXPECT_EQ(Float16::nearest(65519).bits, 0x7bff);
  EXPECT_EQ(Float16::nearest(65520).bits, 0x7c00);
  EXPECT_EQ(Float16::nearest(-INFINITY).bits, 0xfc00);
  EXPECT_EQ(BFloat16::nearest(3.4e38F).bits, 0x7f80);
  EXPECT_EQ(Float8E5M2::nearest(61440).bits, 0x7c);
  EXPECT_EQ(Float8E4M3::nearest(464).bits, 0x7e);
  EXPECT_EQ(Float8E4M3::nearest(465).bits, 0x7f);
  EXPECT_EQ(Float8E4M3::nearest(-1e9F).bits, 0xff);
}

}  // namespace
}  // namespace assay
