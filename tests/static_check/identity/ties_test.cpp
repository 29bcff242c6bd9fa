// Proof by evaluation of comparisons at their ties: pieces that agree there may be parted by < or
// by
// <=, and others may not.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

/// What is compared with a half.
using Compared = std::function<TensorRef(Terms&, TensorRef x, TensorRef y)>;

TensorRef apart(Terms& t, TensorRef x, TensorRef y) { return t.sub(x, y); }
TensorRef multiple(Terms& t, TensorRef x, TensorRef y) { return t.sub(t.mul(x, 0.5), t.mul(y, 3)); }
TensorRef shifted(Terms& t, TensorRef x, TensorRef y) { return t.add(t.sub(y, x), 2); }
TensorRef input(Terms&, TensorRef x, TensorRef) { return x; }

TensorRef parted(Terms& t, const char* op, TensorRef by, TensorRef below, TensorRef above) {
  return t.call("where.self", {t.call(op, {by, 0.5}, DType::kBool), below, above});
}

/// huber: a parabola within a half, lines beside it, with their tangents.
Body huber(const Compared& compared, const char* op, double offset = 0.25) {
  return [=](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef d = compared(t, x, y), size = t.map("abs", d);
    return parted(t, op, size, t.mul(t.mul(d, d), 0.5), t.mul(t.add(size, -offset), 0.5));
  };
}

/// The one or the other input, which do not meet.
Body either(const Compared& compared, const char* op) {
  return [=](Terms& t, TensorRef x, TensorRef y) {
    return parted(t, op, compared(t, x, y), t.mul(x, y), t.add(y, 1));
  };
}

TEST(Ties, PiecesThatMeetMayBeOfEitherSide) {
  for (const Compared compared : {apart, shifted}) {
    EXPECT_TRUE(equal(huber(compared, "lt.Scalar"), huber(compared, "le.Scalar")));
    EXPECT_FALSE(equal(huber(compared, "lt.Scalar"), huber(compared, "le.Scalar", 0.5)));
  }
}

TEST(Ties, PiecesThatDoNotMeetAreOfOneSide) {
  for (const Compared compared : {apart, multiple, shifted, input}) {
    EXPECT_FALSE(equal(either(compared, "lt.Scalar"), either(compared, "le.Scalar")));
    EXPECT_FALSE(equal(either(compared, "ge.Scalar"), either(compared, "gt.Scalar")));
    EXPECT_TRUE(equal(either(compared, "lt.Scalar"), either(compared, "lt.Scalar")));
  }
}

// What is compared with what is compared: y - x with 1/2, where x was compared with 1.
TEST(Ties, ComparisonsBesideOthers) {
  const auto both = [](const char* op) {
    return [op](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef first = t.call("clamp_min.default", {x, 1.0});
      return parted(t, op, t.sub(y, x), t.mul(first, y), t.add(y, 1));
    };
  };
  EXPECT_FALSE(equal(both("lt.Scalar"), both("le.Scalar")));
  EXPECT_TRUE(equal(both("lt.Scalar"), both("lt.Scalar")));
}

// At a tie of a product both sides of a maximum are its value, so that a comparison beside it says
// which one is meant.
TEST(Ties, AMaximumOfAProductTakesTheSideOfTheComparison) {
  const auto relu = [](Terms& t, TensorRef x, TensorRef y) {
    return t.mul(t.map("relu", t.mul(x, y)), t.add(x, 1.0));
  };
  const auto chosen = [](const char* comparison) {
    return [comparison](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef product = t.mul(x, y);
      const TensorRef flag = t.call(comparison, {product, 0.0}, DType::kBool);
      return t.call("where.self", {flag, t.mul(product, t.add(x, 1.0)), t.mul(x, 0.0)});
    };
  };
  EXPECT_TRUE(equal(relu, chosen("gt.Scalar")));
  EXPECT_TRUE(equal(relu, chosen("ge.Scalar")));
  EXPECT_FALSE(equal(relu, chosen("lt.Scalar")));
}

// The gradient of a norm is filled with 0 where that is 0; what is divided by it besides is no
// number there, whatever is filled in.
TEST(Ties, WhatIsDividedByAZeroIsNoNumber) {
  const auto filled = [](bool divided) {
    return [divided](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef norm = t.map("sqrt", t.add(t.mul(x, x), t.mul(y, y)));
      const TensorRef none = t.call("eq.Scalar", {norm, 0.0}, DType::kBool);
      const TensorRef gradient = t.call("masked_fill.Scalar", {t.div(x, norm), none, 0.0});
      return divided ? t.div(gradient, norm) : gradient;
    };
  };
  const auto plain = [](bool divided) {
    return [divided](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef square = t.add(t.mul(x, x), t.mul(y, y));
      return t.div(x, divided ? square : t.map("sqrt", square));
    };
  };
  EXPECT_TRUE(equal(filled(true), plain(true)));
  EXPECT_FALSE(equal(filled(true), plain(false)));
  const Case filled_in = formulas(formula(filled(false)), formula(plain(false)));
  EXPECT_EQ(static_check(filled_in, OperatorTable::builtin()).report.verdict, Verdict::kUnproved);
}

// Of two numbers and a constant each comparison follows from the others, or does not contradict
// them.
TEST(Ties, TwoNumbersAndAConstantHaveOneOrder) {
  const auto greatest = [](double hidden, double least, bool each) {
    return [=](GraphBuilder& graph, TensorRef x, TensorRef flags) {
      const TensorRef hides =
          graph.call("hides", "aten.logical_not.default", {flags}, {2, 3}, DType::kBool);
      TensorRef shown = graph.call("shown", "aten.masked_fill.Scalar", {x, hides, hidden}, {2, 3});
      if (each) shown = graph.call("each", "aten.clamp_min.default", {shown, least}, {2, 3});
      const TensorRef most =
          graph.call("most", "aten.amax.default", {shown, std::vector<Argument>{1}}, {2});
      return each ? most : graph.call("limited", "aten.clamp_min.default", {most, least}, {2});
    };
  };
  const FormulaInput x{"x", {2, 3}}, flags{"flags", {2, 3}, DType::kBool};
  const Formula wanted = greatest(-INFINITY, -2.5, false);
  EXPECT_TRUE(proves(formulas(wanted, greatest(-2.5, -2.5, true), x, flags)));
  EXPECT_TRUE(proves(formulas(wanted, greatest(-2.5, -2.5, false), x, flags)));
  EXPECT_FALSE(proves(formulas(wanted, greatest(-2.25, -2.5, true), x, flags)));
}

}  // namespace
}  // namespace assay::test
