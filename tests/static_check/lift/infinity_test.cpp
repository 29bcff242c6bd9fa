// Infinite constants: masks put them into scores; arithmetic with them is no proof, and no error.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The ranks multiply a product with 0 by a constant where the sequential program gives the product
/// with 0 alone.
Case zero_times(double constant) {
  CaseBuilder c(2);
  const auto zero = [](GraphBuilder& g) {
    return g.call("zero", "aten.mul.Scalar", {g.input("x", {4}), 0}, {4});
  };
  c.sequential().output(zero(c.sequential()));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef factor = g.call("factor", "aten.full.default", {{4}, constant}, {4});
    g.output(g.call("y", "aten.mul.Tensor", {zero(g), factor}, {4}));
  }
  c.replicate("x");
  return c.build();
}

TEST(Infinity, TimesZeroIsNotZero) {
  EXPECT_FALSE(proves(zero_times(kInfinity)));
  EXPECT_FALSE(proves(zero_times(-kInfinity)));
  EXPECT_TRUE(proves(zero_times(2)));
}

/// Both sides compute fn of x and a constant in the same way.
Case with_constant(const char* fn, double constant) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4});
    const TensorRef other = g.call("other", "aten.full.default", {{4}, constant}, {4});
    g.output(g.call("y", fn, {x, other}, {4}));
  };
  program(c.sequential());
  for (int r = 0; r < 2; ++r) program(c.rank(r));
  c.replicate("x");
  return c.build();
}

TEST(Infinity, ProductsWithItAreUnproved) {
  EXPECT_EQ(prove(with_constant("aten.mul.Tensor", kInfinity)).report.verdict, Verdict::kUnproved);
  EXPECT_TRUE(proves(with_constant("aten.mul.Tensor", 3)));
}

TEST(Infinity, SumsWithItAreProved) {
  EXPECT_TRUE(proves(with_constant("aten.add.Tensor", -kInfinity)));
}

TEST(Infinity, IsListedAmongTheAssumptions) {
  const auto lists = [](double constant) {
    const StaticResult result = prove(with_constant("aten.add.Tensor", constant));
    return std::any_of(result.report.assumptions.begin(), result.report.assumptions.end(),
                       [](const std::string& text) { return text.starts_with("infinite"); });
  };
  EXPECT_TRUE(lists(kInfinity));
  EXPECT_FALSE(lists(3));
}

/// y = c - c, of a constant.
TEST(Infinity, DoesNotCancel) {
  CaseBuilder c(1);
  c.sequential().output(
      c.sequential().call("y", "aten.mul.Scalar", {c.sequential().input("x", {4}), 0}, {4}));
  GraphBuilder& g = c.rank(0);
  g.input("x", {4});
  const TensorRef infinite = g.call("infinite", "aten.full.default", {{4}, kInfinity}, {4});
  g.output(g.call("y", "aten.sub.Tensor", {infinite, infinite}, {4}));
  c.replicate("x");
  EXPECT_FALSE(proves(c.build()));
}

}  // namespace
}  // namespace assay::test
