// Proof by evaluation where equations between tensors within the programs are shown first: sums of
// many elements of which each is decided, and functions of what is decided that are decided again.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

/// Proved or refused, neither of which is left to a replay.
bool is_proved(const Body& a, const Body& b) {
  try {
    const Case refinement = formulas(formula(a), formula(b));
    return static_check(refinement, OperatorTable::builtin()).report.verdict == Verdict::kProved;
  } catch (const UserError&) {
    return false;
  }
}

/// The mean of what y is positive for: its divisor depends on all comparisons.
Body mean(const Body& of) {
  return [of](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef kept = t.call("gt.Scalar", {y, 0.0}, DType::kBool);
    const TensorRef values = t.mul(of(t, x, y), kept);
    const TensorRef total = t.call.of_shape({}, "sum.default", {values});
    const TensorRef count = t.call.of_shape({}, "sum.default", {kept}, DType::kInt64);
    const TensorRef some =
        t.call.of_shape({}, "clamp_min.default", {count, int64_t{1}}, DType::kInt64);
    return t.mul(x, t.call.of_shape({}, "div.Tensor", {total, some}));
  };
}

TensorRef chosen(Terms& t, const char* op, TensorRef by, TensorRef yes, TensorRef no) {
  return t.call("where.self", {t.call(op, {by, 0.0}, DType::kBool), yes, no});
}

TensorRef limited(Terms& t, TensorRef x, double least, double most) {
  return t.call("clamp.default", {x, least, most});
}

/// The same, by the sign of x.
TensorRef limited_by_side(Terms& t, TensorRef x, double least, double most) {
  return chosen(t, "gt.Scalar", x, t.call("clamp_max.default", {x, most}),
                t.call("clamp_min.default", {x, least}));
}

TEST(IdentityOfCuts, WhatIsEqualElementByElementIsSoInSums) {
  const auto clamped = [](double least, double most) {
    return mean([=](Terms& t, TensorRef x, TensorRef) { return limited(t, x, least, most); });
  };
  const auto by_side = [](double least, double most) {
    return mean(
        [=](Terms& t, TensorRef x, TensorRef) { return limited_by_side(t, x, least, most); });
  };
  EXPECT_TRUE(equal(clamped(-0.5, 0.75), by_side(-0.5, 0.75)));
  EXPECT_FALSE(equal(clamped(-0.5, 0.75), by_side(-0.5, 0.875)));
  EXPECT_FALSE(equal(clamped(-0.5, 0.75), by_side(-0.25, 0.75)));
}

/// PPO's objective of a ratio that depends on a whole row.
Formula objective(bool by_side, double most) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Terms t(graph, {1, 3});
    const TensorRef kept = t.call("gt.Scalar", {y, 0.0}, DType::kBool);
    const TensorRef row = t.call.of_shape(
        {1, 1}, "sum.dim_IntList", {t.mul(x, kept), std::vector<Argument>{int64_t{1}}, true});
    const TensorRef ratio = t.map("exp", t.mul(row, y));
    if (!by_side)
      return t.call("minimum.default", {t.mul(ratio, x), t.mul(limited(t, ratio, 0.75, most), x)});
    return t.mul(chosen(t, "ge.Scalar", x, t.call("clamp_max.default", {ratio, most}),
                        t.call("clamp_min.default", {ratio, 0.75})),
                 x);
  };
}

TEST(IdentityOfCuts, WhatIsComputedAlikeMayBeAnyNumber) {
  const auto pair = [](double most) {
    return formulas(objective(false, 1.25), objective(true, most), {"x", {1, 3}}, {"y", {1, 3}});
  };
  EXPECT_TRUE(proves(pair(1.25)));
  EXPECT_FALSE(proves(pair(1.375)));
}

TEST(IdentityOfCuts, WhatIsPositiveStaysSo) {
  const auto decided = [](const char* function, bool rectified) {
    return mean([=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef r = t.map(function, t.mul(limited(t, x, -0.5, 0.75), y));
      return rectified ? t.map("relu", r) : r;
    });
  };
  EXPECT_TRUE(equal(decided("exp", true), decided("exp", false)));
  EXPECT_FALSE(equal(decided("sinh", true), decided("sinh", false)));
}

// What agrees only where the specification is a number is no number's stand-in elsewhere.
TEST(IdentityOfCuts, WhatMayBeNoNumberIsNotTaken) {
  // x / x y is y but for x = 0, where the rank has 7.
  const auto quotient = mean([](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef unused = t.mul(t.div(x, x), y);
    return t.add(y, t.mul(unused, 0.0));
  });
  const auto sevens = mean([](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef seven = t.add(t.mul(y, 0.0), 7.0);
    return chosen(t, "eq.Scalar", x, seven, y);
  });
  EXPECT_FALSE(is_proved(quotient, sevens));
  // The root's square is x where there is one.
  const auto rooted = mean([](Terms& t, TensorRef x, TensorRef) {
    const TensorRef root = t.map("sqrt", x);
    return chosen(t, "lt.Scalar", x, x, t.map("relu", t.mul(root, root)));
  });
  const auto rectified =
      mean([](Terms& t, TensorRef x, TensorRef) { return t.map("relu", t.mul(x, 1.0)); });
  EXPECT_FALSE(is_proved(rooted, rectified));
  const auto of_logarithm = mean([](Terms& t, TensorRef x, TensorRef) {
    return chosen(t, "lt.Scalar", x, x, t.map("relu", t.map("exp", t.map("log", x))));
  });
  EXPECT_FALSE(is_proved(of_logarithm, rectified));
}

}  // namespace
}  // namespace assay::test
