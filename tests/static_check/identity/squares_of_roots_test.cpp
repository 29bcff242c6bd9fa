// Proof by evaluation where the square of a root is what it is the root of: by cases in which what
// roots are taken of has roots in the field.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

TensorRef root(Terms& t, TensorRef x) { return t.map("sqrt", x); }

TEST(SquaresOfRoots, OfADifferenceTimesASum) {
  const auto product = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef a = root(t, t.positive(x)), b = root(t, t.positive(y));
    return t.mul(t.sub(a, b), t.add(a, b));
  };
  const auto difference = [](Terms& t, TensorRef x, TensorRef y) {
    return t.sub(t.positive(x), t.positive(y));
  };
  const auto sum = [](Terms& t, TensorRef x, TensorRef y) {
    return t.add(t.positive(x), t.positive(y));
  };
  EXPECT_TRUE(equal(product, difference));
  EXPECT_FALSE(equal(product, sum));
}

// A noised sample and its velocity, as diffusion models mix them: back to the sample.
TEST(SquaresOfRoots, OfTwoThatAddUpToOne) {
  const auto back = [](double sign) {
    return [sign](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef share = t.map("reciprocal", t.add(t.positive(y), 1.0));
      const TensorRef a = root(t, share), s = root(t, t.add(t.mul(share, -1.0), 1.0));
      const TensorRef noised = t.add(t.mul(a, x), t.mul(s, 3.0));
      const TensorRef velocity = t.sub(t.mul(a, 3.0), t.mul(s, x));
      return t.add(t.mul(a, noised), t.mul(t.mul(s, velocity), sign));
    };
  };
  const auto sample = [](Terms& t, TensorRef x, TensorRef y) { return t.add(x, t.mul(y, 0.0)); };
  EXPECT_TRUE(equal(back(-1), sample));
  EXPECT_FALSE(equal(back(1), sample));
}

// The root of a square is of no sign: that of (x + y)^2, written out, is |x + y|.
TEST(SquaresOfRoots, OfASquareItIsItsMagnitude) {
  const auto of_square = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef both = t.mul(t.mul(x, y), 2.0);
    return root(t, t.add(t.add(t.mul(x, x), both), t.mul(y, y)));
  };
  const auto sum = [](Terms& t, TensorRef x, TensorRef y) { return t.add(x, y); };
  const auto magnitude = [&](Terms& t, TensorRef x, TensorRef y) {
    return t.map("abs", sum(t, x, y));
  };
  EXPECT_TRUE(equal(of_square, magnitude));
  EXPECT_FALSE(equal(of_square, sum));
  const auto of_difference = [](Terms& t, TensorRef x, TensorRef y) {
    return t.map("abs", t.sub(x, y));
  };
  EXPECT_FALSE(equal(of_square, of_difference));
}

}  // namespace
}  // namespace assay::test
