// Maxima of values that are no parts of one maximum: over concatenations, and between ranks.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

// Columns of x and y over two ranks; each takes the maximum over the rows of both.
Case maximum_of_joined_rows(bool right) {
  CaseBuilder made(2);
  const auto build = [&](GraphBuilder& graph, int64_t columns, bool both) {
    const TensorRef x = graph.input("x", {4, columns}), y = graph.input("y", {3, columns});
    const TensorRef e = graph.call("e", "aten.exp.default", {y}, {3, columns});
    const std::vector<Argument> pieces =
        both ? std::vector<Argument>{x, e} : std::vector<Argument>{e, e};
    const int64_t rows = both ? 7 : 6;
    const TensorRef c = graph.call("c", "aten.cat.default", {pieces, 0}, {rows, columns});
    graph.output(graph.call("m", "aten.amax.default", {c, {0}}, {columns}));
  };
  build(made.sequential(), 6, true);
  for (int r = 0; r < 2; ++r) build(made.rank(r), 3, right);
  made.shard("x", 1);
  made.shard("y", 1);
  return made.build();
}

TEST(LiftExtremum, OfJoinedValuesIsOfTheirConcatenation) {
  EXPECT_TRUE(proves(maximum_of_joined_rows(true)));
  EXPECT_FALSE(proves(maximum_of_joined_rows(false)));
}

// The maximum over the columns of row + column + x @ w, the inner dimension over two ranks; the
// product is whole, or left as a pending sum.
Case maximum_of_sum(bool whole) {
  CaseBuilder made(2);
  const auto build = [&](GraphBuilder& graph, int64_t inner, bool shares) {
    const TensorRef row = graph.input("row", {1, 6}), column = graph.input("column", {4, 1});
    TensorRef y = graph.call("y", "aten.mm.default",
                             {graph.input("x", {4, inner}), graph.input("w", {inner, 6})}, {4, 6});
    if (shares) y = all_reduce(graph, "all", y);
    const TensorRef with_row = graph.call("with_row", "aten.add.Tensor", {row, y}, {4, 6});
    const TensorRef sum = graph.call("sum", "aten.add.Tensor", {column, with_row}, {4, 6});
    graph.output(graph.call("m", "aten.amax.default", {sum, {1}}, {4}));
  };
  build(made.sequential(), 8, false);
  for (int r = 0; r < 2; ++r) build(made.rank(r), 4, whole);
  made.replicate("row");
  made.replicate("column");
  made.shard("x", 1);
  made.shard("w", 0);
  return made.build();
}

// The claims about the wrong one hold too: none of its terms sees all of the sum (`prove`).
TEST(LiftExtremum, OfASumIsFoundByWhatEachTermSeesOfIt) {
  EXPECT_TRUE(proves(maximum_of_sum(true)));
  EXPECT_FALSE(proves(maximum_of_sum(false)));
}

// y = max over ranks of `op` of each rank's rows of x, against the sequential maximum of all rows.
Case maximum_between_ranks(const char* op, const char* reduce) {
  CaseBuilder made(2);
  const auto build = [&](GraphBuilder& graph, int64_t rows, bool shares) {
    const TensorRef x = graph.input("x", {rows, 3});
    TensorRef y = graph.call("y", op, {x, {0}}, {3});
    if (shares) y = all_reduce(graph, "z", y, reduce);
    graph.output(y);
  };
  build(made.sequential(), 8, false);
  for (int r = 0; r < 2; ++r) build(made.rank(r), 4, true);
  made.shard("x", 0);
  return made.build();
}

TEST(LiftExtremum, BetweenRanksUnitesPartsOfOneMaximum) {
  EXPECT_TRUE(proves(maximum_between_ranks("aten.amax.default", "max")));
  EXPECT_TRUE(proves(maximum_between_ranks("aten.amin.default", "min")));
}

TEST(LiftExtremum, BetweenRanksOfOtherValuesIsUnknown) {
  EXPECT_FALSE(proves(maximum_between_ranks("aten.amax.default", "min")));
  EXPECT_FALSE(proves(maximum_between_ranks("aten.amin.default", "max")));
  EXPECT_FALSE(proves(maximum_between_ranks("aten.sum.dim_IntList", "max")));
  EXPECT_FALSE(proves(maximum_between_ranks("aten.sum.dim_IntList", "min")));
}

// Every rank has the same sum of two inputs.
TEST(LiftExtremum, OfReplicasOfASumIsNoError) {
  CaseBuilder made(2);
  const auto build = [](GraphBuilder& graph, bool shares) {
    const TensorRef x = graph.input("x", {4}), y = graph.input("y", {4});
    TensorRef sum = graph.call("sum", "aten.add.Tensor", {x, y}, {4});
    graph.output(shares ? all_reduce(graph, "same", sum, "max") : sum);
  };
  build(made.sequential(), false);
  for (int r = 0; r < 2; ++r) build(made.rank(r), true);
  made.replicate("x");
  made.replicate("y");
  EXPECT_NE(prove(made.build()).report.verdict, Verdict::kError);
}

// The extremum over the columns of x; on the rank of the first `cut` and of those from `from` on,
// joined by `join`.
Case extremum_of_two(const char* op, const char* of_parts, const char* join, int64_t cut,
                     int64_t from) {
  CaseBuilder made(1);
  TensorRef x = made.sequential().input("x", {4, 6});
  made.sequential().output(made.sequential().call("y", op, {x, {1}}, {4}));
  GraphBuilder& g = made.rank(0);
  x = g.input("x", {4, 6});
  const auto part = [&](const std::string& name, int64_t start, int64_t end) {
    const TensorRef some =
        g.call(name + "_of", "aten.slice.Tensor", {x, 1, start, end}, {4, end - start});
    return g.call(name, of_parts, {some, {1}}, {4});
  };
  const TensorRef left = part("left", 0, cut), right = part("right", from, 6);
  g.output(g.call("y", join, {left, right}, {4}));
  made.replicate("x");
  return made.build();
}

TEST(LiftExtremum, OfTwoPartsIsThatOfTheWhole) {
  const char *max = "aten.amax.default", *min = "aten.amin.default";
  const char *greater = "aten.maximum.default", *less = "aten.minimum.default";
  for (const int64_t from : {2, 1}) {  // parts may overlap
    EXPECT_TRUE(proves(extremum_of_two(max, max, greater, 2, from)));
    EXPECT_TRUE(proves(extremum_of_two(min, min, less, 2, from)));
  }
  EXPECT_FALSE(proves(extremum_of_two(max, max, greater, 2, 3))) << "a column is left out";
  EXPECT_FALSE(proves(extremum_of_two(max, max, less, 2, 2)));
  EXPECT_FALSE(proves(extremum_of_two(max, min, greater, 2, 2)));
  EXPECT_FALSE(proves(extremum_of_two(min, min, greater, 2, 2)));
}

}  // namespace
}  // namespace assay::test
