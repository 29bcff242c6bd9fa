// Relations are written with as few slices as there are stretches of a tensor.
#include <gtest/gtest.h>

#include "static_check/cover/pieces.h"

namespace assay::test {
namespace {

constexpr int64_t kSize = 6;  // of each dimension

std::string joined(const std::string& text) {
  return to_string(neighbours_joined(parse_clean_expr(text, {"test", 1, 1}),
                                     [](const CleanExpr&, int64_t) { return kSize; }));
}

TEST(NeighboursJoined, SlicesThatFollowEachOtherAreOne) {
  EXPECT_EQ(joined("concat(slice(a@0; dim=0, start=0, end=2), slice(a@0; dim=0, start=2, end=4); "
                   "dim=0)"),
            "slice(a@0; dim=0, start=0, end=4)");
  EXPECT_EQ(joined("concat(slice(a@0; dim=0, start=0, end=2), slice(a@0; dim=0, start=2, end=6); "
                   "dim=0)"),
            "a@0");
}

TEST(NeighboursJoined, WhateverOtherDimensionsAreCut) {
  EXPECT_EQ(joined("concat(slice(slice(a@0; dim=0, start=0, end=2); dim=1, start=0, end=3), "
                   "slice(slice(a@0; dim=0, start=2, end=6); dim=1, start=0, end=3); dim=0)"),
            "slice(a@0; dim=1, start=0, end=3)");
}

TEST(NeighboursJoined, WithinAConcatenationAndBelowIt) {
  EXPECT_EQ(joined("concat(b@1, slice(a@0; dim=0, start=1, end=2), slice(a@0; dim=0, start=2, "
                   "end=4); dim=0)"),
            "concat(b@1, slice(a@0; dim=0, start=1, end=4); dim=0)");
  EXPECT_EQ(joined("concat(b@1, concat(slice(a@0; dim=0, start=0, end=2), slice(a@0; dim=0, "
                   "start=2, end=6); dim=0); dim=1)"),
            "concat(b@1, a@0; dim=1)");
}

TEST(NeighboursJoined, OthersStay) {
  for (const std::string text : {
           "concat(slice(a@0; dim=0, start=2, end=4), slice(a@0; dim=0, start=0, end=2); dim=0)",
           "concat(slice(a@0; dim=0, start=0, end=2), slice(a@0; dim=0, start=3, end=4); dim=0)",
           "concat(slice(a@0; dim=0, start=0, end=2), slice(a@1; dim=0, start=2, end=4); dim=0)",
           "concat(slice(a@0; dim=1, start=0, end=2), slice(a@0; dim=1, start=2, end=4); dim=0)",
           "concat(slice(slice(a@0; dim=0, start=0, end=2); dim=1, start=0, end=3), "
           "slice(slice(a@0; dim=0, start=2, end=4); dim=1, start=1, end=4); dim=0)",
           "concat(slice(slice(a@0; dim=0, start=0, end=4); dim=0, start=0, end=2), "
           "slice(slice(a@0; dim=0, start=0, end=4); dim=0, start=2, end=4); dim=0)",
       })
    EXPECT_EQ(joined(text), text);
}

}  // namespace
}  // namespace assay::test
