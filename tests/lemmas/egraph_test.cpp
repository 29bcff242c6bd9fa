#include "static_check/egraph/egraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "static_check/egraph/explain.h"
#include "tests/lemmas/support.h"

namespace assay::test {
namespace {

Reason given(int32_t number) {
  Reason reason;
  reason.kind = Reason::Kind::kGiven;
  reason.lemma = number;
  return reason;
}

TEST(EGraph, KnowsATermAgain) {
  EGraph graph;
  EXPECT_EQ(graph.add(formula("exp(x) + y")), graph.add(formula("exp(x) + y")));
  EXPECT_NE(graph.add(formula("exp(x) + y")), graph.add(formula("exp(y) + x")));
  EXPECT_EQ(graph.formula(graph.add(formula("exp(x) + y"))), formula("exp(x) + y"));
}

TEST(EGraph, TermsOfAnotherDimensionAreOthers) {
  EGraph graph;
  graph.dim("d", 2);
  graph.dim("e", 2);
  EXPECT_FALSE(graph.same(graph.add(formula("sum[d](x)")), graph.add(formula("sum[e](x)"))));
}

TEST(EGraph, EqualOperandsMakeEqualTerms) {
  EGraph graph;
  const TermId one = graph.add(formula("exp(f) * y")), two = graph.add(formula("exp(g) * y"));
  EXPECT_FALSE(graph.same(one, two));
  graph.unite(graph.add(formula("f")), graph.add(formula("g")), given(1));
  graph.rebuild();
  EXPECT_TRUE(graph.same(one, two));
  // And so does a term that is added later.
  EXPECT_TRUE(graph.same(graph.add(formula("log(f)")), graph.add(formula("log(g)"))));
}

TEST(EGraph, CongruenceGoesThroughSeveralLevels) {
  EGraph graph;
  const TermId deep = graph.add(formula("exp(exp(exp(x)))")), x = graph.add(formula("x"));
  const TermId once = graph.add(formula("exp(x)"));
  graph.unite(once, x, given(1));
  graph.rebuild();
  EXPECT_TRUE(graph.same(deep, x));
}

TEST(EGraph, NumbersAreComputed) {
  EGraph graph;
  graph.dim("d", 6);
  EXPECT_TRUE(graph.same(graph.add(formula("2 * 3 + 1")), graph.add(formula("7"))));
  EXPECT_TRUE(graph.same(graph.add(formula("size[d] * reciprocal(3)")), graph.add(formula("2"))));
  EXPECT_FALSE(graph.same(graph.add(formula("reciprocal(0)")), graph.add(formula("0"))));
}

TEST(EGraph, FactsAreWhatATermShows) {
  EGraph graph;
  const DimId d = graph.dim("d", 3);
  TermFacts along;
  along.dims = uint64_t{1} << d;
  graph.declare("x", along);
  const auto facts = [&](const char* text) { return graph.facts(graph.add(formula(text))); };
  EXPECT_TRUE(facts("exp(x)").positive);
  EXPECT_TRUE(facts("sum[d](exp(x)) + 1").nonzero);
  EXPECT_FALSE(facts("exp(x) - 1").positive);
  EXPECT_FALSE(facts("x * x").positive);
  EXPECT_EQ(facts("sum[d](x)").dims, 0u);
  EXPECT_EQ(facts("x - sum[d](x)").dims, along.dims);
  EXPECT_EQ(facts("softmax[d](x)").dims, along.dims);
}

TEST(Explanation, IsTheChainOfReasons) {
  EGraph graph;
  const auto term = [&](const char* text) { return graph.add(formula(text)); };
  const TermId start = term("exp(a) + a"), end = term("exp(d) + d");
  graph.unite(term("a"), term("b"), given(1));
  graph.unite(term("c"), term("b"), given(2));
  graph.unite(term("c"), term("d"), given(3));
  graph.rebuild();
  ASSERT_TRUE(graph.same(start, end));
  const auto steps = explain(graph, start, end);
  ASSERT_TRUE(steps);
  Formula at = formula("exp(a) + a");
  std::vector<std::pair<int32_t, bool>> taken;
  for (const RewriteStep& step : *steps) {
    *at_path(at, step.path) = step.replacement;
    taken.emplace_back(step.index, step.forward);
  }
  EXPECT_EQ(at, formula("exp(d) + d"));
  using testing::Pair;
  EXPECT_THAT(taken, testing::ElementsAre(Pair(1, true), Pair(2, false), Pair(3, true),
                                          Pair(1, true), Pair(2, false), Pair(3, true)));
}

TEST(Explanation, OfATermByItselfIsEmptyAndALongOneIsRefused) {
  EGraph graph;
  const TermId x = graph.add(formula("x")), y = graph.add(formula("y"));
  EXPECT_TRUE(explain(graph, x, x)->empty());
  graph.unite(x, y, given(1));
  EXPECT_FALSE(explain(graph, x, y, 0));
}

}  // namespace
}  // namespace assay::test
