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

/// Rows of 6 in two parts, as ranks have them that hold a part of the keys each.
class InParts {
 public:
  InParts(Terms& t, TensorRef row) : t_(t), parts_{part(row, 0, 3), part(row, 3, 6)} {}

  void less_greatest() {
    const TensorRef greatest =
        of_row("maximum.default", {of_part("amax.default", 0), of_part("amax.default", 1)});
    for (TensorRef& part : parts_) part = of_part("sub.Tensor", {part, greatest});
  }
  /// The exponentials, divided by the sum of all, or of the second part by that of its own.
  TensorRef weights(bool all = true) {
    for (TensorRef& part : parts_) part = of_part("exp.default", {part});
    const TensorRef second = of_part("sum.dim_IntList", 1);
    const TensorRef both = of_row("add.Tensor", {of_part("sum.dim_IntList", 0), second});
    const std::vector<Argument> quotients{of_part("div.Tensor", {parts_[0], both}),
                                          of_part("div.Tensor", {parts_[1], all ? both : second})};
    return t_.call("cat.default", {quotients, 1});
  }

 private:
  TensorRef part(TensorRef row, int64_t begin, int64_t end) {
    return of_part("slice.Tensor", {row, 1, begin, end});
  }
  TensorRef of_part(const std::string& op, std::vector<Argument> arguments) {
    return t_.call.of_shape({4, 3}, op, std::move(arguments));
  }
  TensorRef of_part(const std::string& reduction, int part) {
    return of_row(reduction, {parts_[part], std::vector<Argument>{-1}, true});
  }
  TensorRef of_row(const std::string& op, std::vector<Argument> arguments) {
    return t_.call.of_shape({4, 1}, op, std::move(arguments));
  }

  Terms& t_;
  TensorRef parts_[2];
};

TEST(Hidden, TheGreatestOfPartsIsThatOfAll) {
  const auto masked = [](Terms& t, TensorRef x, TensorRef y) {
    return softmax(t, hidden(t, x, mask(t, x, y)));
  };
  const auto in_parts = [](bool all, const char* comparison) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      InParts parts(t, hidden(t, x, mask(t, x, y, comparison)));
      parts.less_greatest();
      return parts.weights(all);
    };
  };
  EXPECT_TRUE(equal(masked, in_parts(true, "gt.Scalar")));
  EXPECT_FALSE(equal(masked, in_parts(false, "gt.Scalar")));
  EXPECT_FALSE(equal(masked, in_parts(true, "ge.Scalar")));
}

// Of a sum that flags leave parts of the inverse is of all of it, however it was added up.
TEST(Hidden, WeightsNeedNoGreatest) {
  const auto masked = [](Terms& t, TensorRef x, TensorRef y) {
    return softmax(t, hidden(t, x, mask(t, x, y)));
  };
  const auto in_parts = [](bool all) {
    return [all](Terms& t, TensorRef x, TensorRef y) {
      return InParts(t, hidden(t, x, mask(t, x, y))).weights(all);
    };
  };
  EXPECT_TRUE(equal(masked, in_parts(true)));
  EXPECT_FALSE(equal(masked, in_parts(false)));
}

}  // namespace
}  // namespace assay::test
