// What a report says of a bug: the operator, the nearest tensor of the ranks, and how it differs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

/// The first failure of a case that is not proved.
FailureReport first_failure(const CaseBuilder& builder) {
  const StaticResult result = prove(builder.build());
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  return result.report.failures.empty() ? FailureReport{} : result.report.failures[0];
}

/// y = gelu(x), the columns of x over two ranks; each rank starts where `starts` says.
CaseBuilder sliced_columns(std::vector<int> starts) {
  CaseBuilder builder(2);
  const auto gelu = [](GraphBuilder& graph, TensorRef x, Shape shape) {
    graph.output(graph.call("y", "aten.gelu.default", {x}, std::move(shape)));
  };
  gelu(builder.sequential(), builder.sequential().input("x", {4, 6}), {4, 6});
  for (const int rank : {0, 1}) {
    GraphBuilder& graph = builder.rank(rank);
    const int start = starts[static_cast<size_t>(rank)];
    const TensorRef x = graph.input("x", {4, 6});
    gelu(graph, graph.call("own", "aten.slice.Tensor", {x, 1, start, start + 3}, {4, 3}), {4, 3});
  }
  builder.replicate("x");
  builder.expect("y", {"concat(y@0, y@1; dim=1)"});
  return builder;
}

TEST(Diagnosis, TheRightSlicesAreProved) { EXPECT_TRUE(proves(sliced_columns({0, 3}).build())); }

TEST(Diagnosis, ARankWithAnotherRanksColumnsIsNamedWithBoth) {
  const FailureReport failure = first_failure(sliced_columns({0, 0}));
  EXPECT_EQ(failure.node, "y");
  EXPECT_EQ(failure.nearest, "y@1");
  EXPECT_EQ(failure.reason, "rank 1 holds columns 0..2, expected columns 3..5");
}

TEST(Diagnosis, ColumnsThatNoRankHoldsAreNamed) {
  const FailureReport failure = first_failure(sliced_columns({0, 2}));
  EXPECT_EQ(failure.node, "y");
  EXPECT_THAT(failure.reason, HasSubstr("no rank holds column 5"));
}

/// y = x + b, the rows of x and of b over two ranks; rank 1 adds the rows of b that `start` says.
CaseBuilder rows_added(int start) {
  CaseBuilder builder(2);
  const auto program = [](GraphBuilder& graph, TensorRef b, int64_t rows) {
    const TensorRef x = graph.input("x", {rows, 3});
    graph.output(graph.call("y", "aten.add.Tensor", {x, b}, {rows, 3}));
  };
  program(builder.sequential(), builder.sequential().input("b", {8, 3}), 8);
  for (const int rank : {0, 1}) {
    GraphBuilder& graph = builder.rank(rank);
    const TensorRef b = graph.input("b", {8, 3});
    const int from = rank == 0 ? 0 : start;
    program(graph, graph.call("own", "aten.slice.Tensor", {b, 0, from, from + 4}, {4, 3}), 4);
  }
  builder.shard("x", 0);
  builder.replicate("b");
  builder.expect("y", {"concat(y@0, y@1; dim=0)"});
  return builder;
}

TEST(Diagnosis, TheRightRowsAreProved) { EXPECT_TRUE(proves(rows_added(4).build())); }

TEST(Diagnosis, RowsThatDoNotBelongTogetherAreNamed) {
  const FailureReport failure = first_failure(rows_added(0));
  EXPECT_EQ(failure.node, "y");
  EXPECT_EQ(failure.nearest, "y@1");
  EXPECT_THAT(failure.reason, HasSubstr("rows 4..7 of x"));
  EXPECT_THAT(failure.reason, HasSubstr("rows 0..3 of b"));
}

/// y = x w + b with the inner dimension over two ranks, the bias added by both before the reduction
/// or once after it.
CaseBuilder biased_product(bool on_every_rank) {
  CaseBuilder builder(2);
  GraphBuilder& whole = builder.sequential();
  const TensorRef product = whole.call(
      "xw", "aten.mm.default", {whole.input("x", {4, 6}), whole.input("w", {6, 5})}, {4, 5});
  whole.output(whole.call("y", "aten.add.Tensor", {product, whole.input("b", {4, 5})}, {4, 5}));
  for (const int rank : {0, 1}) {
    GraphBuilder& graph = builder.rank(rank);
    TensorRef y = graph.call("xw", "aten.mm.default",
                             {graph.input("x", {4, 3}), graph.input("w", {3, 5})}, {4, 5});
    const TensorRef b = graph.input("b", {4, 5});
    if (on_every_rank) y = graph.call("biased", "aten.add.Tensor", {y, b}, {4, 5});
    y = all_reduce(graph, on_every_rank ? "y" : "reduced", y);
    graph.output(on_every_rank ? y : graph.call("y", "aten.add.Tensor", {y, b}, {4, 5}));
  }
  builder.shard("x", 1);
  builder.shard("w", 0);
  builder.replicate("b");
  builder.expect("y", {"y@0", "y@1"});
  return builder;
}

TEST(Diagnosis, ABiasAddedOnceIsProved) { EXPECT_TRUE(proves(biased_product(false).build())); }

TEST(Diagnosis, ABiasAddedByEveryRankIsNamedWithHowOften) {
  const FailureReport failure = first_failure(biased_product(true));
  EXPECT_EQ(failure.node, "y");
  EXPECT_THAT(failure.reason, HasSubstr("b 2 times"));
}

/// The mean over rows in two ranks: local means, added up by `reduce`.
CaseBuilder mean_over_ranks(const char* reduce) {
  CaseBuilder builder(2);
  const auto mean = [](GraphBuilder& graph, int64_t rows) {
    const TensorRef x = graph.input("x", {rows, 3});
    return graph.call("mean", "aten.mean.dim", {x, {0}}, {3});
  };
  builder.sequential().output("y", mean(builder.sequential(), 8));
  for (const int rank : {0, 1}) {
    GraphBuilder& graph = builder.rank(rank);
    graph.output(all_reduce(graph, "y", mean(graph, 4), reduce));
  }
  builder.shard("x", 0);
  builder.expect("mean", {"y@0", "y@1"});
  return builder;
}

TEST(Diagnosis, AnAverageIsProved) { EXPECT_TRUE(proves(mean_over_ranks("avg").build())); }

TEST(Diagnosis, ASumForAnAverageIsNamedWithItsFactor) {
  const FailureReport failure = first_failure(mean_over_ranks("sum"));
  EXPECT_EQ(failure.node, "mean");
  EXPECT_THAT(failure.reason, HasSubstr("2x the value"));
}

}  // namespace
}  // namespace assay::test
