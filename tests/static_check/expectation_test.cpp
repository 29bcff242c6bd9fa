// What the user expects of a sequential tensor, or of a clean expression over several: it is
// proved, or the report says what holds instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

/// y = relu(x) and z = x + x, with the rows of x over two ranks.
CaseBuilder rows_over_ranks() {
  CaseBuilder builder(2);
  const auto program = [](GraphBuilder& graph, int64_t rows) {
    const TensorRef x = graph.input("x", {rows, 4});
    graph.output(graph.call("y", "aten.relu.default", {x}, {rows, 4}));
    graph.output(graph.call("z", "aten.add.Tensor", {x, x}, {rows, 4}));
  };
  program(builder.sequential(), 8);
  for (const int rank : {0, 1}) program(builder.rank(rank), 4);
  builder.shard("x", 0);
  return builder;
}

StaticResult with_expectation(const std::string& key, const std::vector<std::string>& replicas) {
  CaseBuilder builder = rows_over_ranks();
  builder.expect(key, replicas);
  return prove(builder.build());
}

const FailureReport& only_failure(const StaticResult& result) {
  static const FailureReport none;
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  EXPECT_EQ(result.report.failures.size(), 1u);
  return result.report.failures.empty() ? none : result.report.failures[0];
}

TEST(Expectation, OfATensorIsProved) {
  const StaticResult result = with_expectation("y", {"concat(y@0, y@1; dim=0)"});
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
}

TEST(Expectation, OfAnExpressionOverSeveralTensorsIsProved) {
  const StaticResult result = with_expectation(
      "concat(y, z; dim=1)", {"concat(concat(y@0, z@0; dim=1), concat(y@1, z@1; dim=1); dim=0)",
                              "concat(concat(y@0, y@1; dim=0), concat(z@0, z@1; dim=0); dim=1)"});
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
}

TEST(Expectation, OfASumOfTensorsIsProved) {
  const StaticResult result =
      with_expectation("sum(y, z)", {"concat(sum(y@0, z@0), sum(y@1, z@1); dim=0)"});
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
}

TEST(WrongExpectation, OfATensorIsReportedWithWhatHolds) {
  const StaticResult result = with_expectation("y", {"concat(y@1, y@0; dim=0)"});
  const FailureReport& failure = only_failure(result);
  EXPECT_EQ(failure.kind, "expectation");
  EXPECT_EQ(failure.node, "y");
  EXPECT_THAT(failure.reason, HasSubstr("expected concat(y@1, y@0; dim=0), but what holds is "
                                        "concat(y@0, y@1; dim=0)"));
}

TEST(WrongExpectation, OfAnExpressionIsReportedWithWhatHolds) {
  const StaticResult result =
      with_expectation("concat(y, z; dim=0)", {"concat(y@0, z@0, y@1, z@1; dim=0)"});
  const FailureReport& failure = only_failure(result);
  EXPECT_EQ(failure.kind, "expectation");
  EXPECT_EQ(failure.node, "concat(y, z; dim=0)");
  EXPECT_THAT(failure.reason,
              HasSubstr("expected concat(y@0, z@0, y@1, z@1; dim=0), but what holds is "
                        "concat(y@0, y@1, z@0, z@1; dim=0)"));
}

TEST(WrongExpectation, InTheSecondOfTwoExpressionsIsTheOneThatIsNamed) {
  const StaticResult result = with_expectation("slice(y; dim=0, start=0, end=4)", {"y@0", "y@1"});
  EXPECT_THAT(only_failure(result).reason, HasSubstr("expected y@1, but what holds is y@0"));
}

TEST(WrongExpectation, OfAnExpressionAtAnotherScaleSaysSo) {
  const StaticResult result =
      with_expectation("slice(y; dim=0, start=0, end=4)", {"sum(y@0, y@0)"});
  EXPECT_THAT(only_failure(result).reason, HasSubstr("sum(y@0, y@0) holds 2x the value"));
}

}  // namespace
}  // namespace assay::test
