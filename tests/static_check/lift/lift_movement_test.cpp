// Rearrangements and collectives that move rows.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// Two [2, 3] shards viewed as [3, 2] each, against the whole [4, 3] viewed as [6, 2].
Case viewed_shards(int dim) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const Shape whole = dim == 0 ? Shape{4, 3} : Shape{2, 6};
  s.output(s.call("y", "aten.view.default", {s.input("x", whole), {6, 2}}, {6, 2}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(g.call("y", "aten.view.default", {g.input("x", {2, 3}), {3, 2}}, {3, 2}));
  }
  c.shard("x", dim);
  c.expect("y", {"concat(y@0, y@1; dim=0)"});
  return c.build();
}

TEST(Movement, AViewCommutesWithTheOutermostConcatenationAlone) {
  EXPECT_TRUE(proves(viewed_shards(0)));
  EXPECT_FALSE(proves(viewed_shards(1)));
}

/// Every second column, with the ranks starting at `start`.
Case strided(int start, int step) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.slice.Tensor", {s.input("x", {4, 6}), 1, 0, 6, 2}, {4, 3}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(g.call("y", "aten.slice.Tensor",
                    {g.input("x", {2, 6}), 1, start, step == 1 ? start + 3 : 6, step}, {2, 3}));
  }
  c.shard("x", 0);
  return c.build();
}

TEST(Movement, AStepIsPartOfASlice) {
  EXPECT_TRUE(proves(strided(0, 2)));
  EXPECT_FALSE(proves(strided(0, 1)));
  EXPECT_FALSE(proves(strided(1, 2)));
}

/// x written into columns [start, start + 2) of zeros.
Case scattered(int start, int dim) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, int from, int d) {
    const TensorRef zero = g.call("zero", "aten.zeros.default", {{4, 4}}, {4, 4});
    const TensorRef x = g.input("x", {4, 2});
    TensorRef source = x;
    if (d == 0) source = g.call("t", "aten.t.default", {x}, {2, 4});
    return g.call("y", "aten.slice_scatter.default", {zero, source, d, from, from + 2}, {4, 4});
  };
  c.sequential().output(program(c.sequential(), 1, 1));
  c.rank(0).output(program(c.rank(0), start, dim));
  c.replicate("x");
  return c.build();
}

TEST(Movement, AScatterHasItsPlace) {
  EXPECT_TRUE(proves(scattered(1, 1)));
  EXPECT_FALSE(proves(scattered(2, 1)));
  EXPECT_FALSE(proves(scattered(1, 0)));
}

TensorRef all_to_all(GraphBuilder& g, TensorRef x, const Argument& received, const Argument& sent,
                     Shape shape) {
  return g.call("exchanged", "_c10d_functional.all_to_all_single.default",
                {x, received, sent, "tp"}, std::move(shape));
}

/// Rows become columns: each rank sends the other one its half of the columns.
Case transposed_shards(bool to_themselves) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {8, 6})}, {8, 6}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    TensorRef x =
        g.call("halves", "aten.view.default", {g.input("x", {4, 6}), {4, 2, 3}}, {4, 2, 3});
    x = g.call("outer", "aten.permute.default", {x, {1, 0, 2}}, {2, 4, 3});
    x = g.call("rows", "aten.reshape.default", {x, {8, 3}}, {8, 3});
    if (!to_themselves) x = all_to_all(g, x, {4, 4}, {4, 4}, {8, 3});
    g.output(g.call("y", "aten.relu.default", {x}, {8, 3}));
  }
  c.shard("x", 0);
  c.expect("y", {"concat(y@0, y@1; dim=1)"});
  return c.build();
}

TEST(Movement, AnAllToAllTurnsRowsIntoColumns) {
  EXPECT_TRUE(proves(transposed_shards(false)));
  EXPECT_FALSE(proves(transposed_shards(true)));
}

/// Two ranks of four rows each; rank 0 keeps one and sends three, as many as it expects.
Case uneven_exchange(const std::vector<Argument>& sent_by_1,
                     const std::vector<Argument>& received_by_1, const std::string& y) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {8, 6})}, {8, 6}));
  const std::vector<Argument> own{1, 3};
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef x = all_to_all(g, g.input("x", {4, 6}), r == 0 ? own : received_by_1,
                                   r == 0 ? own : sent_by_1, {4, 6});
    g.output(g.call("y", "aten.relu.default", {x}, {4, 6}));
  }
  c.shard("x", 0);
  c.expect("y", {y});
  return c.build();
}

TEST(Movement, AnAllToAllSendsAsManyRowsAsItSays) {
  const auto pieces = [](const std::string& first, const std::string& second) {
    return "concat(slice(y@0; dim=0, start=0, end=1), " + first + ", " + second +
           ", slice(y@1; dim=0, start=3, end=4); dim=0)";
  };
  const std::string from_0 = "slice(y@0; dim=0, start=1, end=4)";
  const std::string from_1 = "slice(y@1; dim=0, start=0, end=3)";
  EXPECT_TRUE(proves(uneven_exchange({3, 1}, {3, 1}, pieces(from_1, from_0))));
  EXPECT_FALSE(proves(uneven_exchange({3, 1}, {3, 1}, pieces(from_0, from_1))));
}

TEST(Movement, RowsThatNobodyExpectsAreAMismatch) {
  const Case refinement = uneven_exchange({1, 3}, {3, 1}, "concat(y@0, y@1; dim=0)");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kRefuted);
  ASSERT_FALSE(result.report.failures.empty());
  EXPECT_EQ(result.report.failures[0].kind, "collective_mismatch");
}

/// Rows gathered over two ranks; `reversed`: the group counts them the other way round.
Case gathered(bool reversed) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {4, 3})}, {4, 3}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef y = g.call("y", "aten.relu.default", {g.input("x", {2, 3})}, {2, 3});
    g.output(all_gather(g, "all", y, 2));
  }
  c.shard("x", 0);
  c.expect("y", {"all@0", "all@1"});
  Case result = c.build();
  if (reversed) result.distributed_groups["tp"] = {1, 0};
  return result;
}

TEST(Movement, AGatherFollowsTheOrderOfTheGroup) {
  EXPECT_TRUE(proves(gathered(false)));
  EXPECT_FALSE(proves(gathered(true)));
}

/// x reduced over the ranks by "sum", "avg" or "max", where each rank has the whole x.
Case reduced_replicas(const char* reduce) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.clone.default", {s.input("x", {4, 3})}, {4, 3}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(all_reduce(g, "all", g.input("x", {4, 3}), reduce));
  }
  c.replicate("x");
  return c.build();
}

TEST(Movement, AnOutputMayBeAnInput) {
  CaseBuilder c(2);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0), &c.rank(1)})
    g->output("y", g->input("x", {4, 3}));
  c.replicate("x");
  c.expect("x", {"x@0", "x@1"});
  c.expect("y", {"y@0", "x@1"});
  EXPECT_TRUE(proves(c.build()));
}

TEST(Movement, AMeanOrMaximumOfReplicasIsTheReplicaAndASumIsNot) {
  EXPECT_TRUE(proves(reduced_replicas("avg")));
  EXPECT_TRUE(proves(reduced_replicas("max")));
  EXPECT_FALSE(proves(reduced_replicas("sum")));
}

/// Rank 1 of two calls an all_reduce that rank 0 does not.
Case lonely_collective(bool lonely) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {4})}, {4}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    TensorRef x = g.input("x", {4});
    if (r == 1 || !lonely) x = all_reduce(g, "all", x, "avg");
    g.output(g.call("y", "aten.relu.default", {x}, {4}));
  }
  c.replicate("x");
  return c.build();
}

TEST(Movement, ACollectiveThatAMemberNeverJoinsIsRefuted) {
  EXPECT_TRUE(proves(lonely_collective(false)));
  const StaticResult result = prove(lonely_collective(true));
  EXPECT_EQ(result.report.verdict, Verdict::kRefuted);
  ASSERT_FALSE(result.report.failures.empty());
  EXPECT_EQ(result.report.failures[0].kind, "collective_mismatch");
}

/// A partial input: the sequential x is the sum of the ranks' parts.
Case partial_input(bool reduced_before_relu) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {4, 3})}, {4, 3}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    TensorRef x = g.input("x", {4, 3});
    if (reduced_before_relu) x = all_reduce(g, "all", x);
    x = g.call("y", "aten.relu.default", {x}, {4, 3});
    if (!reduced_before_relu) x = all_reduce(g, "all", x);
    g.output(x);
  }
  c.relate("x", {"sum(x@0, x@1)"});
  return c.build();
}

TEST(Movement, APartialInputIsReducedBeforeANonlinearFunction) {
  EXPECT_TRUE(proves(partial_input(true)));
  EXPECT_FALSE(proves(partial_input(false)));
}

/// The output must be rebuilt from final outputs, not from a tensor inside.
TEST(Movement, AnIntermediateTensorIsNoOutput) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {4})}, {4}));
  auto& g = c.rank(0);
  const TensorRef y = g.call("y", "aten.relu.default", {g.input("x", {4})}, {4});
  g.output(g.call("z", "aten.exp.default", {y}, {4}));
  c.replicate("x");
  EXPECT_FALSE(proves(c.build()));
}

/// y = float(x >= 0), rows sharded; rank 1 may leave the mask as it is.
Case sharded_mask(bool both_cast) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int64_t rows, bool casts) {
    const TensorRef mask =
        g.call("mask", "aten.ge.Scalar", {g.input("x", {rows, 3}), 0}, {rows, 3}, DType::kBool);
    g.output(casts ? g.call("y", "aten.to.dtype", {mask, DType::kFloat32}, {rows, 3}) : mask);
  };
  program(c.sequential(), 4, true);
  for (const int rank : {0, 1}) program(c.rank(rank), 2, rank == 0 || both_cast);
  c.shard("x", 0);
  return c.build();
}

TEST(Movement, BooleansAreNoPartOfAFloatingTensor) {
  EXPECT_TRUE(proves(sharded_mask(true)));
  EXPECT_FALSE(proves(sharded_mask(false)));
}

}  // namespace
}  // namespace assay::test
