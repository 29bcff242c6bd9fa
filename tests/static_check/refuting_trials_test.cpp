// What drawn numbers tell apart is wrong, and is told before anything is evaluated.
#include <gtest/gtest.h>

#include "static_check/domains/trials/refuting_trials.h"
#include "tests/static_check/formula_case.h"
#include "tests/support/lifted_problem.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

bool refuted(const Case& refinement) {
  const OperatorTable operators = OperatorTable::builtin();
  const Problem problem = lifted_problem(refinement, operators);
  std::vector<OpenClaim> claims;
  for (const Expectation& expectation : refinement.expect)
    claims.push_back({expectation.sequential, {expectation.replicas}});
  return refuted_by_trials(problem, claims);
}

TensorRef times_two(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("mul.Tensor", {x, 2.0});
}
TensorRef added_to_itself(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("add.Tensor", {x, x});
}
TensorRef times_three(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("mul.Tensor", {x, 3.0});
}

TEST(RefutingTrials, TellWrongProgramsApartAndNoRightOnes) {
  EXPECT_FALSE(refuted(formulas(times_two, added_to_itself)));
  EXPECT_TRUE(refuted(formulas(times_two, times_three)));
}

// An output of which nothing is expected may have any of its likely relations.
TEST(RefutingTrials, AClaimIsWrongWhereAllOfItsRelationsAre) {
  const Case right = formulas(times_two, added_to_itself);
  const OperatorTable operators = OperatorTable::builtin();
  const Problem problem = lifted_problem(right, operators);
  const Expectation& holds = right.expect[0];
  CleanExpr other = holds.replicas[0];
  other.name = "x";
  EXPECT_FALSE(refuted_by_trials(problem, {{holds.sequential, {{other}, holds.replicas}}}));
  EXPECT_TRUE(refuted_by_trials(problem, {{holds.sequential, {{other}, {other}}}}));
  EXPECT_FALSE(refuted_by_trials(problem, {{holds.sequential, {}}}));
  // All replicas of a relation have to hold, and all claims.
  EXPECT_TRUE(refuted_by_trials(problem, {{holds.sequential, {{holds.replicas[0], other}}}}));
  EXPECT_TRUE(refuted_by_trials(
      problem, {{holds.sequential, {holds.replicas}}, {holds.sequential, {{other}}}}));
}

// What is left of numbers that cancel is rounding, and differs by all of itself.
TEST(RefutingTrials, RoundingIsNoDifference) {
  const auto centred = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef mean = call.of_shape({4, 1}, "mean.dim", {x, {1}, true});
    const TensorRef rest = call("sub.Tensor", {x, mean});
    return call.of_shape({4}, "sum.dim_IntList", {rest, {1}});
  };
  const auto nothing = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef sum = call.of_shape({4}, "sum.dim_IntList", {x, {1}});
    return call.of_shape({4}, "mul.Tensor", {sum, 0.0});
  };
  const auto something = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef sum = call.of_shape({4}, "sum.dim_IntList", {x, {1}});
    return call.of_shape({4}, "mul.Tensor", {sum, 0.001});
  };
  EXPECT_FALSE(refuted(formulas(centred, nothing)));
  EXPECT_TRUE(refuted(formulas(centred, something)));
}

// A mask's least number is no measure of the others.
TEST(RefutingTrials, NumbersThatStandForInfinitiesHideNothing) {
  const auto masked = [](const char* last) {
    return [last](GraphBuilder& graph, TensorRef x, TensorRef y) {
      Calls call(graph);
      const TensorRef flags = call("gt.Scalar", {y, 0.0}, DType::kBool);
      const TensorRef scores = call("masked_fill.Scalar", {x, flags, -3.4028234663852886e38});
      const TensorRef weights = call("_softmax.default", {scores, int64_t{1}, false});
      return call(last, {weights, weights});
    };
  };
  EXPECT_TRUE(refuted(formulas(masked("add.Tensor"), masked("mul.Tensor"))));
  EXPECT_FALSE(refuted(formulas(masked("add.Tensor"), masked("add.Tensor"))));
}

// Such a difference is left to the evaluations.
TEST(RefutingTrials, WhatDrawsDoNotMeetIsNotKnown) {
  const auto plain = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    return Calls(graph)("neg.default", {x});
  };
  const auto rare = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef beyond = call("relu.default", {call("sub.Tensor", {x, 1000.0})});
    return call("sub.Tensor", {beyond, x});
  };
  const Case refinement = formulas(plain, rare);
  EXPECT_FALSE(refuted(refinement));
  EXPECT_FALSE(proves(refinement));
}

// The ranks' samples are those of the specification only where that is assumed.
TEST(RefutingTrials, ProgramsThatDrawAreNotRun) {
  const auto noise = [](double factor) {
    return [factor](GraphBuilder& graph, TensorRef x, TensorRef) {
      Calls call(graph);
      return call("mul.Tensor", {call("rand_like.default", {x}), factor});
    };
  };
  EXPECT_FALSE(refuted(formulas(noise(1.0), noise(2.0))));
}

TEST(RefutingTrials, NoVerdictDependsOnThem) {
  const OperatorTable operators = OperatorTable::builtin();
  for (const bool refute_first : {false, true}) {
    StaticOptions options;
    options.refute_first = refute_first;
    const auto verdict = [&](const Formula& rank) {
      return static_check(formulas(times_two, rank), operators, options).report.verdict;
    };
    EXPECT_EQ(verdict(added_to_itself), Verdict::kProved);
    EXPECT_EQ(verdict(times_three), Verdict::kUnproved);
  }
}

}  // namespace
}  // namespace assay::test
