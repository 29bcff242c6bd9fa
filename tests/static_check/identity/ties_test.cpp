// Proof by evaluation of comparisons at their ties: pieces that agree there may be parted by < or
// by
// <=, and others may not.
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

}  // namespace
}  // namespace assay::test
