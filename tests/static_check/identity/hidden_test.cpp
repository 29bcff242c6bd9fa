// Proof by evaluation of numbers that a computed mask hides: minus infinity where it is met.
#include <limits>

#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TensorRef mask(Terms& t, TensorRef x, TensorRef y, const char* comparison = "gt.Scalar") {
  return t.call(comparison, {t.mul(x, y), 0.0}, DType::kBool);
}

TensorRef hidden(Terms& t, TensorRef x, TensorRef flag, double by = -kInfinity) {
  return t.call("masked_fill.Scalar", {x, flag, by});
}

TensorRef softmax(Terms& t, TensorRef x) { return t.call("_softmax.default", {x, -1, false}); }

TEST(Hidden, WhatAMaskHidesWeighsNothing) {
  const auto masked = [](Terms& t, TensorRef x, TensorRef y) {
    return softmax(t, hidden(t, x, mask(t, x, y)));
  };
  // exp(x) where the mask is not met, else 0 or something else.
  const auto weights = [](double otherwise, const char* comparison) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef zero = t.mul(x, 0.0);
      const TensorRef shown = t.call(
          "where.self", {mask(t, x, y, comparison), t.map("exp", x), t.add(zero, otherwise)});
      return t.div(shown, t.call("cumsum.default", {shown, -1}));
    };
  };
  const auto by_exponentials = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef shown = t.map("exp", hidden(t, x, mask(t, x, y)));
    return t.div(shown, t.call("cumsum.default", {shown, -1}));
  };
  EXPECT_TRUE(equal(by_exponentials, weights(0, "le.Scalar")));
  EXPECT_FALSE(equal(by_exponentials, weights(1, "le.Scalar")));
  EXPECT_FALSE(equal(by_exponentials, weights(0, "lt.Scalar")));
  // Added, multiplied and shifted by what is the same in a row.
  const auto added = [](double by) {
    return [by](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef nothing = t.mul(x, 0.0);
      return softmax(t, t.add(t.mul(hidden(t, nothing, mask(t, x, y), by), 3.0), t.add(x, 0.25)));
    };
  };
  EXPECT_TRUE(equal(masked, added(-kInfinity)));
  EXPECT_FALSE(equal(masked, added(-1)));
  const auto unmasked = [](Terms& t, TensorRef x, TensorRef) { return softmax(t, x); };
  EXPECT_FALSE(equal(masked, unmasked));
}

TEST(Hidden, WhereItIsInfiniteCounts) {
  const auto logits = [](const char* comparison) {
    return [comparison](Terms& t, TensorRef x, TensorRef y) {
      return t.add(hidden(t, t.mul(x, 2.0), mask(t, x, y, comparison)), y);
    };
  };
  const auto inside = [](Terms& t, TensorRef x, TensorRef y) {
    return hidden(t, t.add(t.add(x, x), y), mask(t, x, y));
  };
  EXPECT_TRUE(equal(logits("gt.Scalar"), inside));
  EXPECT_FALSE(equal(logits("ge.Scalar"), inside));
  const auto all = [](Terms& t, TensorRef x, TensorRef y) { return t.add(t.mul(x, 2.0), y); };
  EXPECT_FALSE(equal(inside, all));
  EXPECT_FALSE(equal(all, inside));
}

}  // namespace
}  // namespace assay::test
