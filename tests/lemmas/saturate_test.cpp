// What the shipped lemmas show of two terms, with an explanation that replays; and what they do
// not.
#include "static_check/egraph/saturate.h"

#include <gtest/gtest.h>

#include <functional>

#include "static_check/egraph/explain.h"
#include "static_check/egraph/match.h"
#include "static_check/lemmas/shipped_lemmas.h"
#include "tests/lemmas/support.h"

namespace assay::test {
namespace {

const std::vector<Lemma>& lemmas() {
  static const LemmaTable table = builtin_lemmas();
  return table.lemmas();
}

// Applies the step as its lemma's text says; a failure when the lemma does not stand there.
void apply(const RewriteStep& step, Formula& to) {
  Formula* at = at_path(to, step.path);
  ASSERT_NE(at, nullptr);
  if (step.kind == Reason::Kind::kLemma) {
    const Lemma& lemma = lemmas()[static_cast<size_t>(step.index)];
    std::map<std::string, Formula> values;
    size_t i = 0;
    for (const std::string& name : variables_of(lemma)) values[name] = step.variables[i++];
    std::map<std::string, std::string> dims;
    i = 0;
    for (const std::string& name : dims_of(lemma)) dims[name] = step.dims[i++];
    const auto instance = [&](Formula side) {
      const std::function<void(Formula&)> rename = [&](Formula& formula) {
        if (!formula.dim.empty()) formula.dim = dims.at(formula.dim);
        for (Formula& operand : formula.operands) rename(operand);
      };
      rename(side);
      return substitute(side, values);
    };
    EXPECT_EQ(*at, instance(step.forward ? lemma.left : lemma.right)) << lemma.name;
    EXPECT_EQ(step.replacement, instance(step.forward ? lemma.right : lemma.left)) << lemma.name;
  }
  *at = step.replacement;
}

// The terms are equal by the lemmas: x and y depend on d, the others do not.
testing::AssertionResult shows(const std::string& left, const std::string& right) {
  EGraph graph;
  TermFacts everywhere, along;
  along.dims = uint64_t{1} << graph.dim("d", 8);
  for (const char* name : {"c", "k", "m", "n"}) graph.declare(name, everywhere);
  for (const char* name : {"x", "y"}) graph.declare(name, along);
  const Goal goal{graph.add(formula(left)), graph.add(formula(right))};
  SaturationLimits limits;
  limits.time = std::chrono::minutes(1);  // what is shown does not depend on the machine
  limits.terms = 6'000;
  const StopReason stopped = saturate(graph, lemmas(), {goal}, limits);
  if (stopped != StopReason::kGoal)
    return testing::AssertionFailure()
           << to_string(stopped, limits) << " (" << graph.size() << " terms)";
  const auto steps = explain(graph, goal.left, goal.right);
  if (!steps) return testing::AssertionFailure() << "no explanation";
  Formula at = formula(left);
  for (const RewriteStep& step : *steps) apply(step, at);
  EXPECT_EQ(at, formula(right));
  return testing::AssertionSuccess() << steps->size() << " steps, " << graph.size() << " terms";
}

TEST(Saturation, DecomposesAndShiftsSoftmax) {
  EXPECT_TRUE(shows("softmax[d](x - max[d](x))", "softmax[d](x)"));
  EXPECT_TRUE(shows("exp(x - c) / sum[d](exp(x - c))", "softmax[d](x)"));
  EXPECT_TRUE(shows("exp(x - max[d](x)) / sum[d](exp(x - max[d](x)))", "softmax[d](x)"));
  EXPECT_FALSE(shows("exp(x - y) / sum[d](exp(x - y))", "softmax[d](x)"));
  EXPECT_FALSE(shows("exp(x - c) / sum[d](exp(x))", "softmax[d](x)"));
}

TEST(Saturation, MergesLogSumExp) {
  EXPECT_TRUE(shows("c + log(exp(k - c) + exp(m - c))", "log(exp(k) + exp(m))"));
  EXPECT_TRUE(shows("log(sum[d](exp(x - c))) + c", "log(sum[d](exp(x)))"));
  EXPECT_FALSE(shows("c + log(exp(k - c) + exp(m))", "log(exp(k) + exp(m))"));
}

TEST(Saturation, DistributesOverProductsAndQuotients) {
  EXPECT_TRUE(shows("(x * y) * c", "x * (c * y)"));
  EXPECT_TRUE(shows("(x + y) / c", "x / c + y / c"));
  EXPECT_TRUE(shows("sum[d](x / c)", "sum[d](x) / c"));
  EXPECT_TRUE(shows("c * exp(x) / exp(x)", "c"));
  EXPECT_FALSE(shows("c * y / y", "c"));
  EXPECT_FALSE(shows("sum[d](x * y)", "sum[d](x) * y"));
}

TEST(Saturation, RelatesMasks) {
  EXPECT_TRUE(shows("keep(and(m, n), x)", "keep(n, keep(m, x))"));
  EXPECT_TRUE(shows("select(m, x, x)", "x"));
  EXPECT_FALSE(shows("keep(or(m, n), x)", "keep(n, keep(m, x))"));
}

TEST(Saturation, MergesMoments) {
  EXPECT_TRUE(shows("sum[d](square(x - sum[d](x) / size[d])) / size[d]",
                    "sum[d](square(x)) / size[d] - square(sum[d](x) / size[d])"));
}

// z = z + u0 = z + u1 = ...: sums of sums of sums, none of which is a sum with a logarithm.
EGraph with_sums_that_are_one(int count) {
  EGraph graph;
  const TermId z = graph.add(formula("z"));
  for (int i = 0; i < count; ++i) {
    Reason given;
    given.kind = Reason::Kind::kGiven;
    given.lemma = i;
    graph.unite(z, graph.add(formula("z + u" + std::to_string(i))), std::move(given));
  }
  graph.add(formula("log(w)"));  // elsewhere
  graph.rebuild();
  return graph;
}

TEST(Saturation, LooksForARuleNoLongerThanItsLimitAllows) {
  const Lemma deep = lemma("((((a + b) + c) + f) + g) + log(h)", "log(h) + (a + b + c + f + g)");
  const Rule rule(deep, 0, /*forward=*/true);
  constexpr int64_t kVisits = 2'000'000;
  const auto few = rule.matches(with_sums_that_are_one(3), 500, kVisits);
  EXPECT_TRUE(few.all);
  EXPECT_TRUE(few.found.empty());
  EGraph many = with_sums_that_are_one(100);
  EXPECT_FALSE(rule.matches(many, 500, kVisits).all);
  const Goal never{many.add(formula("x")), many.add(formula("y"))};
  SaturationLimits limits;
  limits.iterations = 3;
  EXPECT_EQ(saturate(many, {deep}, {never}, limits), StopReason::kIterations);
}

TEST(Saturation, SaysWhyItStops) {
  EGraph graph;
  const Goal never{graph.add(formula("x")), graph.add(formula("y"))};
  EXPECT_EQ(saturate(graph, {}, {never}), StopReason::kSaturated);
  const Goal sums{graph.add(formula("a + (b + (c + (e + f)))")), graph.add(formula("y"))};
  SaturationLimits limits;
  limits.terms = 50;
  EXPECT_EQ(saturate(graph, lemmas(), {sums}, limits), StopReason::kTerms);
  EXPECT_EQ(to_string(StopReason::kTerms, limits), "the limit of 50 terms was reached");
  limits = {};
  limits.iterations = 1;
  EXPECT_EQ(saturate(graph, lemmas(), {sums}, limits), StopReason::kIterations);
  limits = {};
  limits.time = std::chrono::milliseconds(0);
  EXPECT_EQ(saturate(graph, lemmas(), {sums}, limits), StopReason::kTime);
}

}  // namespace
}  // namespace assay::test
