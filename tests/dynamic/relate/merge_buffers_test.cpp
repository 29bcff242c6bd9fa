// The merger over plain memory. Under the thread sanitizer these tests also show that several
// threads can merge what they share.
#include "dynamic_check/relate/merge_buffers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include "dynamic_check/buffers/element.h"

namespace assay {
namespace {

// A leaf a@RANK with the numbers from `first` on, row-major.
StridedBuffer counting(const Shape& shape, double first, DType dtype = DType::kFloat32) {
  StridedBuffer buffer = make_buffer(dtype, shape, false);
  if (dtype == DType::kInt32) {
    auto* data = reinterpret_cast<int32_t*>(buffer.owned.get());
    std::iota(data, data + buffer.elements(), static_cast<int32_t>(first));
  } else {
    auto* data = reinterpret_cast<float*>(buffer.owned.get());
    std::iota(data, data + buffer.elements(), static_cast<float>(first));
  }
  return buffer;
}

// a@0 and a@1 of two rows and three columns: 0 to 5, and 10 to 15; b@0: the transpose of a@0.
LeafBuffers leaves(DType dtype = DType::kFloat32) {
  const StridedBuffer a0 = counting({2, 3}, 0, dtype);
  const int64_t swapped[] = {1, 0};
  return {
      {{"a", 0}, a0}, {{"a", 1}, counting({2, 3}, 10, dtype)}, {{"b", 0}, permute(a0, swapped)}};
}

std::vector<double> numbers(const StridedBuffer& buffer) {
  const StridedBuffer dense = contiguous(buffer);
  std::vector<double> result;
  visit_type(dense.dtype, [&]<typename T>(T) {
    const auto* data = reinterpret_cast<const T*>(dense.data);
    for (int64_t i = 0; i < dense.elements(); ++i) result.push_back(static_cast<double>(data[i]));
  });
  return result;
}

// Those that a text names, as merge() takes them.
LeafBuffers named(const CleanExpr& expr, const LeafBuffers& all) {
  LeafBuffers result;
  for_each_leaf(expr, [&](const CleanExpr& leaf) {
    const auto found = all.find({leaf.name, leaf.rank});
    result[{leaf.name, leaf.rank}] = found == all.end() ? std::nullopt : found->second;
  });
  return result;
}

std::vector<double> merged(const std::string& text, const Shape& shape,
                           const LeafBuffers& all = leaves()) {
  const CleanExpr expr = parse_clean_expr(text, {});
  const LeafBuffers used = named(expr, all);
  const MergeRules rules = check_merge(expr, shape, used);
  EXPECT_FALSE(rules.fault) << rules.fault->detail;
  return numbers(evaluate_buffers(expr, used));
}

MergeRules rules(const std::string& text, const Shape& shape) {
  const CleanExpr expr = parse_clean_expr(text, {});
  return check_merge(expr, shape, named(expr, leaves()));
}

using Numbers = std::vector<double>;

TEST(MergeBuffers, EveryKindOfExpressionHasItsValue) {
  EXPECT_EQ(merged("a@1", {2, 3}), (Numbers{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(merged("concat(a@0, a@1; dim=0)", {4, 3}),
            (Numbers{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(merged("concat(a@1, a@0; dim=1)", {2, 6}),
            (Numbers{10, 11, 12, 0, 1, 2, 13, 14, 15, 3, 4, 5}));
  EXPECT_EQ(merged("slice(a@0; dim=1, start=1, end=3)", {2, 2}), (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(merged("permute(a@0; dims=[1, 0])", {3, 2}), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(merged("reshape(slice(a@0; dim=1, start=1, end=3); shape=[4])", {4}),
            (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(merged("pad(a@0; dim=1, before=1, after=0)", {2, 4}),
            (Numbers{0, 0, 1, 2, 0, 3, 4, 5}));
  EXPECT_EQ(merged("sum(a@0, a@1)", {2, 3}), (Numbers{10, 12, 14, 16, 18, 20}));
  EXPECT_EQ(merged("scale(a@0; by=1/2)", {2, 3}), (Numbers{0, 0.5, 1, 1.5, 2, 2.5}));
}

TEST(MergeBuffers, MemoryMayHaveAnyStrides) {
  EXPECT_EQ(merged("concat(b@0, permute(a@1; dims=[1, 0]); dim=1)", {3, 4}),
            (Numbers{0, 3, 10, 13, 1, 4, 11, 14, 2, 5, 12, 15}));
  EXPECT_EQ(merged("sum(permute(b@0; dims=[1, 0]), a@1)", {2, 3}),
            (Numbers{10, 12, 14, 16, 18, 20}));
  EXPECT_EQ(merged("reshape(b@0; shape=[6])", {6}), (Numbers{0, 3, 1, 4, 2, 5}));
}

TEST(MergeBuffers, SumsOfFloatsAreOfFloat64AndOfIntegersOfTheirType) {
  const LeafBuffers ints = leaves(DType::kInt32);
  const CleanExpr sum = parse_clean_expr("concat(a@0, sum(a@0, a@1); dim=0)", {});
  EXPECT_EQ(evaluate_buffers(sum, leaves()).dtype, DType::kFloat64);
  EXPECT_EQ(evaluate_buffers(sum, ints).dtype, DType::kInt32);
  EXPECT_EQ(numbers(evaluate_buffers(sum, ints)),
            (Numbers{0, 1, 2, 3, 4, 5, 10, 12, 14, 16, 18, 20}));
  // 2^24 + 1 is no float32.
  LeafBuffers large = leaves();
  large[{"a", 0}] = counting({1}, 0x1p24);
  large[{"a", 1}] = counting({1}, 1);
  EXPECT_EQ(merged("sum(a@0, a@1)", {1}, large), (Numbers{0x1p24 + 1}));
}

TEST(MergeBuffers, MovementsThatCanAreViews) {
  const LeafBuffers all = leaves();
  const CleanExpr expr =
      parse_clean_expr("reshape(slice(a@0; dim=0, start=1, end=2); shape=[3])", {});
  EXPECT_EQ(evaluate_buffers(expr, all).data, all.at({"a", 0})->data + 3 * sizeof(float));
}

TEST(MergeBuffers, WhatCannotBeAWholeIsAFault) {
  EXPECT_EQ(rules("c@0", {2, 3}).fault->kind, "omission");
  EXPECT_EQ(rules("a@0", {3, 2}).fault->kind, "shape");
  EXPECT_EQ(rules("concat(a@0, b@0; dim=0)", {5, 3}).fault->kind, "shape");
  EXPECT_EQ(rules("sum(a@0, permute(permute(a@0; dims=[1, 0]); dims=[1, 0]))", {2, 3}).fault->kind,
            "overlap");
  EXPECT_EQ(rules("sum(a@0, concat(slice(a@0; dim=0, start=1, end=2), slice(a@0; dim=0, start=0, "
                  "end=1); dim=0))",
                  {2, 3})
                .fault,
            std::nullopt);
  LeafBuffers mixed = leaves();
  mixed[{"a", 1}] = counting({2, 3}, 0, DType::kInt32);
  mixed.erase({"b", 0});
  EXPECT_EQ(check_merge(parse_clean_expr("sum(a@0, a@1)", {}), {2, 3}, mixed).fault->kind, "dtype");
}

TEST(MergeBuffers, PaddingIsNoticedUnlessSomethingIsAddedThere) {
  EXPECT_TRUE(rules("pad(a@0; dim=0, before=0, after=1)", {3, 3}).has_padding);
  EXPECT_FALSE(
      rules("sum(pad(a@0; dim=0, before=0, after=2), pad(a@1; dim=0, before=2, after=0))", {4, 3})
          .has_padding);
  EXPECT_TRUE(
      rules("sum(pad(a@0; dim=0, before=0, after=3), pad(a@1; dim=0, before=3, after=0))", {5, 3})
          .has_padding);
}

TEST(MergeBuffers, TensorsWithoutElementsMerge) {
  LeafBuffers empty = leaves();
  empty[{"a", 0}] = make_buffer(DType::kFloat32, {0, 3}, false);
  EXPECT_EQ(merged("concat(a@0, a@1; dim=0)", {2, 3}, empty), (Numbers{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(merged("permute(a@0; dims=[1, 0])", {3, 0}, empty), Numbers{});
}

TEST(MergeBuffers, SeveralThreadsMergeWhatTheyShare) {
  const LeafBuffers all = leaves();
  std::vector<Numbers> found(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&all, &result = found[i]] {
      for (int round = 0; round < 50; ++round)
        result =
            merged("concat(sum(a@0, a@1), a@0, permute(b@0; dims=[1, 0]); dim=0)", {6, 3}, all);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Numbers& numbers_of_one : found)
    EXPECT_EQ(numbers_of_one,
              (Numbers{10, 12, 14, 16, 18, 20, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TEST(Element, SmallFloatsAreWhatTheirBitsSay) {
  const auto half = [](uint16_t bits) { return static_cast<double>(Float16{bits}); };
  EXPECT_EQ(half(0x3c00), 1);
  EXPECT_EQ(half(0xc500), -5);
  EXPECT_EQ(half(0x7bff), 65504);
  EXPECT_EQ(half(0x0001), 0x1p-24);
  EXPECT_EQ(half(0x83ff), -1023 * 0x1p-24);
  EXPECT_TRUE(std::signbit(half(0x8000)));
  EXPECT_EQ(half(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(half(0x7c01)));
  EXPECT_EQ(static_cast<double>(Float8E4M3{0x7e}), 448);
  EXPECT_EQ(static_cast<double>(Float8E4M3{0x01}), 0x1p-9);
  EXPECT_TRUE(std::isnan(static_cast<double>(Float8E4M3{0xff})));
  EXPECT_EQ(static_cast<double>(Float8E5M2{0x7b}), 57344);
  EXPECT_EQ(static_cast<double>(Float8E5M2{0x7c}), INFINITY);
  // The upper half of a float32.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = static_cast<double>(BFloat16{static_cast<uint16_t>(bits)});
    const double expected = static_cast<double>(std::bit_cast<float>(bits << 16));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
    }
  }
}

}  // namespace
}  // namespace assay
