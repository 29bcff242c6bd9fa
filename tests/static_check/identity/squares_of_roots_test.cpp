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

/// y / (variance + 1e-5), of the root that a norm keeps for its gradient.
Formula of_kept_root() {
  return [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const std::vector<TensorRef> norm =
        graph.call_many("norm", "aten.native_layer_norm.default", {x, {6}, NoArg{}, NoArg{}, 1e-5},
                        {{{4, 6}}, {{4, 1}}, {{4, 1}}});
    const TensorRef once = graph.call("once", "aten.mul.Tensor", {y, norm[2]}, {4, 6});
    return graph.call("twice", "aten.mul.Tensor", {once, norm[2]}, {4, 6});
  };
}

/// The same with the variance by moments, E[x^2] + by * E[x]^2.
Formula by_moments(double by) {
  return [by](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const auto of_row = [&](const char* name, const char* op, std::vector<Argument> arguments) {
      return graph.call(name, op, std::move(arguments), {4, 1});
    };
    const auto mean = [&](const char* name, TensorRef of) {
      return of_row(name, "aten.mean.dim", {of, std::vector<Argument>{-1}, true});
    };
    const TensorRef squares = graph.call("squares", "aten.mul.Tensor", {x, x}, {4, 6});
    const TensorRef first = mean("first", x), second = mean("second", squares);
    const TensorRef square = of_row("square", "aten.mul.Tensor", {first, first});
    const TensorRef times = of_row("times", "aten.mul.Scalar", {square, by});
    const TensorRef variance = of_row("variance", "aten.add.Tensor", {second, times});
    const TensorRef more = of_row("more", "aten.add.Scalar", {variance, 1e-5});
    const TensorRef root = of_row("root", "aten.rsqrt.default", {more});
    const TensorRef once = graph.call("once", "aten.mul.Tensor", {y, root}, {4, 6});
    return graph.call("twice", "aten.mul.Tensor", {once, root}, {4, 6});
  };
}

TEST(SquaresOfRoots, AVarianceByMomentsIsAsPositiveAsAnother) {
  EXPECT_TRUE(proves(formulas(of_kept_root(), by_moments(-1))));
  EXPECT_FALSE(proves(formulas(of_kept_root(), by_moments(1))));
}

/// A root of x / y, of as many elements as there are: one over that of y / x, whatever their signs.
TEST(SquaresOfRoots, AQuotientTurnedRoundHasTheSameRoots) {
  const auto root_of = [](const char* root, bool turned) {
    return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
      const TensorRef quotient =
          graph.call("quotient", "aten.div.Tensor", {turned ? y : x, turned ? x : y}, {4, 6});
      const TensorRef of = graph.call("of", root, {quotient}, {4, 6});
      return graph.call("all", "aten.sum.default", {of}, Shape{});
    };
  };
  const Formula wanted = root_of("aten.rsqrt.default", false);
  EXPECT_TRUE(proves(formulas(wanted, root_of("aten.sqrt.default", true))));
  EXPECT_FALSE(proves(formulas(wanted, root_of("aten.sqrt.default", false))));
}

}  // namespace
}  // namespace assay::test
