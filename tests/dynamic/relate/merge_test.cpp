#include "dynamic_check/relate/merge.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

Merged merge_ones(const std::string& text, const Shape& shape) {
  return merge(parse_clean_expr(text, {}), shape, [](const RankTensorName& name) {
    if (name.first == "missing") return at::Tensor();
    return at::ones({2, 3}, name.first == "half" ? at::kBFloat16 : at::kFloat);
  });
}

TEST(Merge, PartsOfOneTypeMakeAWhole) {
  const Merged merged = merge_ones("concat(a@0, sum(a@1, a@2); dim=0)", {4, 3});
  ASSERT_FALSE(merged.fault) << merged.fault->detail;
  EXPECT_EQ(merged.dtype, at::kFloat);
  EXPECT_EQ(merged.value.sum().item<double>(), 18);
  EXPECT_FALSE(merged.has_padding);
}

TEST(Merge, WhatWasNotRecordedIsAnOmission) {
  EXPECT_EQ(merge_ones("missing@0", {2, 3}).fault->kind, "omission");
}

TEST(Merge, AnotherShapeIsAFault) { EXPECT_EQ(merge_ones("a@0", {3, 2}).fault->kind, "shape"); }

TEST(Merge, PartsThatDoNotFitAreAFault) {
  EXPECT_EQ(merge_ones("concat(a@0, reshape(a@1; shape=[6]); dim=0)", {4, 3}).fault->kind, "shape");
}

TEST(Merge, PartsOfSeveralTypesAreAFault) {
  EXPECT_EQ(merge_ones("concat(a@0, half@1; dim=0)", {4, 3}).fault->kind, "dtype");
}

TEST(Merge, AnElementAddedToItselfIsAnOverlap) {
  EXPECT_EQ(merge_ones("sum(a@0, a@0)", {2, 3}).fault->kind, "overlap");
  EXPECT_EQ(
      merge_ones("concat(a@1, sum(a@0, permute(permute(a@0; dims=[1, 0]); dims=[1, 0])); dim=0)",
                 {4, 3})
          .fault->kind,
      "overlap");
  EXPECT_FALSE(merge_ones("sum(pad(slice(a@0; dim=0, start=0, end=1); dim=0, before=0, after=1), "
                          "pad(slice(a@0; dim=0, start=1, end=2); dim=0, before=1, after=0))",
                          {2, 3})
                   .fault);
}

TEST(Merge, PaddingIsNoticed) {
  EXPECT_TRUE(merge_ones("pad(a@0; dim=0, before=0, after=1)", {3, 3}).has_padding);
}

}  // namespace
}  // namespace assay
