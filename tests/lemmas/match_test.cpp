// One direction of a lemma finds each place where it stands, within its bounds.
#include "static_check/egraph/match.h"

#include <gtest/gtest.h>

#include "tests/lemmas/support.h"

namespace assay::test {
namespace {

constexpr size_t kMany = 1'000;
constexpr int64_t kLong = 1'000'000;

struct Products {
  Lemma distributes = lemma("a * (b + c)", "a * b + a * c");
  Rule rule{distributes, 0, true};
  EGraph graph;

  // u * (x + y), where x + y is n sums in all.
  explicit Products(int n) {
    const TermId sum = graph.add(formula("x + y"));
    graph.add(formula("u * (x + y)"));
    for (int i = 1; i < n; ++i) {
      const std::string k = std::to_string(i);
      graph.unite(sum, graph.add(formula("x" + k + " + y" + k)), {});
    }
    graph.rebuild();
  }
};

TEST(Match, FindsEveryWayToMakeAClass) {
  Products products(3);
  const auto matches = products.rule.matches(products.graph, kMany, kLong);
  EXPECT_TRUE(matches.all);
  ASSERT_EQ(matches.found.size(), 3U);
  for (const Rule::Match& match : matches.found)
    EXPECT_EQ(match.variables[0], products.graph.add(formula("u")));
}

TEST(Match, AVariableStandsForOneClass) {
  const Lemma doubles = lemma("a + a", "2 * a");
  const Rule rule(doubles, 0, true);
  EGraph graph;
  graph.add(formula("x + y"));
  EXPECT_TRUE(rule.matches(graph, kMany, kLong).found.empty());
  graph.unite(graph.add(formula("x")), graph.add(formula("y")), {});
  graph.rebuild();
  EXPECT_EQ(rule.matches(graph, kMany, kLong).found.size(), 1U);
}

TEST(Match, AnotherDimensionOfTheLemmaIsAnotherOfTheTerms) {
  const Lemma swaps = lemma("sum[d](sum[e](a))", "sum[e](sum[d](a))");
  const Rule rule(swaps, 0, true);
  EGraph graph;
  graph.dim("i", 2);
  graph.dim("j", 3);
  graph.add(formula("sum[i](sum[i](x))"));
  EXPECT_TRUE(rule.matches(graph, kMany, kLong).found.empty());
  graph.add(formula("sum[i](sum[j](x))"));
  EXPECT_EQ(rule.matches(graph, kMany, kLong).found.size(), 1U);
}

TEST(Match, SaysWhereABoundWasReached) {
  Products products(3);
  const auto three = products.rule.matches(products.graph, 3, kLong);
  EXPECT_TRUE(three.all);
  const auto two = products.rule.matches(products.graph, 2, kLong);
  EXPECT_FALSE(two.all);
  EXPECT_EQ(two.found.size(), 2U);
  EXPECT_FALSE(products.rule.matches(products.graph, kMany, 5).all);
}

}  // namespace
}  // namespace assay::test
