// Random operators: which draws are taken to agree, and which are not.
#include <gmock/gmock.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TensorRef dropout(GraphBuilder& g, const std::string& name, TensorRef x, double p = 0.25) {
  return g.call_many(name, "aten.native_dropout.default", {x, p, true},
                     {{g.shape(x)}, {g.shape(x), DType::kBool}})[0];
}

/// y = dropout(x), x[4, 6] split along `dim`, each rank with a probability of its own.
Case split_dropout(int dim, double p_of_rank1 = 0.25) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(dropout(s, "y", s.input("x", {4, 6})));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    Shape shape{4, 6};
    shape[static_cast<size_t>(dim)] /= 2;
    g.output(dropout(g, "y", g.input("x", shape), r == 0 ? 0.25 : p_of_rank1));
  }
  c.shard("x", dim);
  c.expect("y_0", {"concat(y_0@0, y_0@1; dim=" + std::to_string(dim) + ")"});
  return c.build();
}

TEST(Random, ARankDrawsItsOwnPartOfTheSequentialDraws) {
  EXPECT_TRUE(proves(split_dropout(0)));
  EXPECT_TRUE(proves(split_dropout(1)));
}

TEST(Random, AnotherProbabilityIsAnotherDistribution) {
  EXPECT_FALSE(proves(split_dropout(0, 0.5)));
}

TEST(Random, TheAssumptionIsListedWithItsOperator) {
  Case refinement = split_dropout(0);
  const auto says =
      HasSubstr("random draws agree: aten.native_dropout.default (dropout_mask(0.25))");
  EXPECT_THAT(prove(refinement).report.assumptions, Contains(says));
  refinement.random_agrees = false;
  const StaticResult independent = prove(refinement);
  EXPECT_NE(independent.report.verdict, Verdict::kProved);
  EXPECT_THAT(independent.report.assumptions, Not(Contains(says)));
}

TEST(Random, RanksWithTheWholeTensorDrawAlike) {
  CaseBuilder c(2);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0), &c.rank(1)})
    g->output(dropout(*g, "y", g->input("x", {4, 6})));
  c.replicate("x");
  c.expect("y_0", {"y_0@0", "y_0@1"});
  EXPECT_TRUE(proves(c.build()));
}

TEST(Random, MicroBatchesDrawTheirPartsOfOneDraw) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  s.output(dropout(s, "y", s.input("x", {4, 6})));
  auto& g = c.rank(0);
  g.output(dropout(g, "first", g.input("a", {2, 6})));
  g.output(dropout(g, "second", g.input("b", {2, 6})));
  c.relate("x", {"concat(a@0, b@0; dim=0)"});
  c.expect("y_0", {"concat(first_0@0, second_0@0; dim=0)"});
  EXPECT_TRUE(proves(c.build()));
}

/// y and z = dropouts of the same x, in the order of their names.
Case two_draws(const std::string& y, const std::string& z) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef x = g->input("x", {4, 6});
    g->output(dropout(*g, "y", x));
    g->output(dropout(*g, "z", x));
  }
  c.replicate("x");
  c.expect("y_0", {y});
  c.expect("z_0", {z});
  return c.build();
}

TEST(Random, ASecondDrawForATensorIsNotTheFirst) {
  EXPECT_TRUE(proves(two_draws("y_0@0", "z_0@0")));
  EXPECT_FALSE(proves(two_draws("z_0@0", "y_0@0")));
  EXPECT_FALSE(proves(two_draws("y_0@0", "y_0@0")));
}

TEST(Random, DrawsForAPartialSumAreNotDrawsForTheSum) {
  const auto make = [](bool reduced) {
    CaseBuilder c(2);
    auto& s = c.sequential();
    s.output(dropout(
        s, "y",
        s.call("m", "aten.mm.default", {s.input("a", {4, 6}), s.input("b", {6, 3})}, {4, 3})));
    for (int r = 0; r < 2; ++r) {
      auto& g = c.rank(r);
      TensorRef m =
          g.call("m", "aten.mm.default", {g.input("a", {4, 3}), g.input("b", {3, 3})}, {4, 3});
      if (reduced) m = all_reduce(g, "whole", m);
      const TensorRef y = dropout(g, "y", m);
      g.output(reduced ? y : all_reduce(g, "late", y));
    }
    c.shard("a", 1);
    c.shard("b", 0);
    return c.build();
  };
  EXPECT_TRUE(proves(make(true)));
  EXPECT_FALSE(proves(make(false)));
}

TEST(Random, CopiesOfAnElementAreDrawnForOneByOne) {
  // Each row of the expanded tensor is the same, its dropout is not.
  const auto make = [](int row) {
    CaseBuilder c(1);
    for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
      const TensorRef x =
          g->call("rows", "aten.expand.default", {g->input("x", {1, 6}), {4, 6}}, {4, 6});
      const int start = g == &c.rank(0) ? row : 0;
      g->output(
          g->call("y", "aten.slice.Tensor", {dropout(*g, "d", x), 0, start, start + 1}, {1, 6}));
    }
    c.replicate("x");
    return c.build();
  };
  EXPECT_FALSE(proves(make(1)));
}

TEST(Random, DropoutOfTwoCopiesIsNotTwoCopiesOfADropout) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  const TensorRef x = s.input("x", {2, 6});
  s.output(dropout(s, "y", s.call("xx", "aten.cat.default", {{x, x}, 0}, {4, 6})));
  auto& g = c.rank(0);
  const TensorRef d = dropout(g, "d", g.input("x", {2, 6}));
  g.output(g.call("y_0", "aten.cat.default", {{d, d}, 0}, {4, 6}));
  c.replicate("x");
  EXPECT_FALSE(proves(c.build()));
}

/// y = x + the n-th randn of that shape.
Case noise(int calls_before, const Shape& of_rank) {
  CaseBuilder c(1);
  const auto add_noise = [](GraphBuilder& g, int before, const Shape& shape) {
    const std::vector<Argument> sizes(shape.begin(), shape.end());
    TensorRef drawn;
    for (int i = 0; i <= before; ++i)
      drawn = g.call("n" + std::to_string(i), "aten.randn.default", {Argument(sizes)}, shape);
    g.output(g.call("y", "aten.add.Tensor", {g.input("x", shape), drawn}, shape));
  };
  add_noise(c.sequential(), 0, {4, 6});
  add_noise(c.rank(0), calls_before, of_rank);
  c.relate("x", {of_rank == Shape{4, 6} ? "x@0" : "reshape(x@0; shape=[4, 6])"});
  return c.build();
}

TEST(Random, DrawsForNoTensorAgreeCallByCallInTheirWholeShape) {
  EXPECT_TRUE(proves(noise(0, {4, 6})));
  EXPECT_FALSE(proves(noise(1, {4, 6})));
  EXPECT_FALSE(proves(noise(0, {6, 4})));
}

}  // namespace
}  // namespace assay::test
