// Contractions on shards: what is a part of the whole product, and what only looks like one.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kRows = 4, kInner = 6, kColumns = 8;

/// x @ w with the inner dimension split; the second rank's slice of x starts at `start`.
Case inner_split(bool reduced, int start = kInner / 2) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.mm.default",
                  {s.input("x", {kRows, kInner}), s.input("w", {kInner, kColumns})},
                  {kRows, kColumns}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef x = g.input("x", {kRows, kInner});
    const TensorRef w = g.input("w", {kInner / 2, kColumns});
    const int from = r == 0 ? 0 : start;
    const TensorRef part =
        g.call("part", "aten.slice.Tensor", {x, 1, from, from + kInner / 2}, {kRows, kInner / 2});
    const TensorRef y = g.call("y", "aten.mm.default", {part, w}, {kRows, kColumns});
    g.output(reduced ? all_reduce(g, "sum", y) : y);
  }
  c.replicate("x");
  c.shard("w", 0);
  c.expect("y", reduced ? std::vector<std::string>{"sum@0", "sum@1"}
                        : std::vector<std::string>{"y@0", "y@1"});
  return c.build();
}

TEST(Contraction, RowParallelProductIsWholeAfterTheReduction) {
  EXPECT_TRUE(proves(inner_split(true)));
}

TEST(Contraction, RowParallelProductIsAPartBeforeTheReduction) {
  EXPECT_FALSE(proves(inner_split(false)));
}

TEST(Contraction, BlocksWhoseOperandsAreCutAtDifferentOffsetsAreNoPart) {
  EXPECT_FALSE(proves(inner_split(true, kInner / 2 - 1)));
  EXPECT_FALSE(proves(inner_split(true, 0)));
}

/// y = x @ w pending on two ranks, then what `then` makes of it; the sequential program multiplies
/// y by itself.
template <typename Then>
Case pending_product(const Then& then) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef y =
      s.call("y", "aten.mm.default",
             {s.input("x", {kRows, kInner}), s.input("w", {kInner, kColumns})}, {kRows, kColumns});
  s.output(s.call("z", "aten.mul.Tensor", {y, y}, {kRows, kColumns}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(
        then(g, g.call("y", "aten.mm.default",
                       {g.input("x", {kRows, kInner / 2}), g.input("w", {kInner / 2, kColumns})},
                       {kRows, kColumns})));
  }
  c.shard("x", 1);
  c.shard("w", 0);
  c.expect("z", {"z@0", "z@1"});
  return c.build();
}

TensorRef product(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  return g.call(name, "aten.mul.Tensor", {a, b}, {kRows, kColumns});
}

// Claims about products of parts of one sum are checked and executed, as all others are (`prove`).
TEST(Contraction, TheProductOfPartsOfOneSumIsNoPartOfItsSquare) {
  EXPECT_TRUE(proves(pending_product([](GraphBuilder& g, TensorRef y) {
    const TensorRef whole = all_reduce(g, "sum", y);
    return product(g, "z", whole, whole);
  })));
  EXPECT_FALSE(proves(pending_product([](GraphBuilder& g, TensorRef y) {
    return all_reduce(g, "z", product(g, "square", y, y));
  }))) << "each rank squares its part";
  EXPECT_FALSE(proves(pending_product([](GraphBuilder& g, TensorRef y) {
    return product(g, "z", product(g, "square", y, y), y);
  }))) << "a cube";
  EXPECT_FALSE(proves(pending_product([](GraphBuilder& g, TensorRef y) {
    return all_reduce(g, "z", y, "product");
  }))) << "the ranks' parts times one another";
  EXPECT_FALSE(proves(pending_product([](GraphBuilder& g, TensorRef y) {
    const TensorRef half = g.call("half", "aten.mul.Scalar", {y, 0.5}, {kRows, kColumns});
    return product(g, "z", half, all_reduce(g, "sum", y));
  }))) << "half a part times the whole";
}

/// x @ w with the columns split; `gathered` in the wrong order when swapped.
Case column_split(bool swapped) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.mm.default",
                  {s.input("x", {kRows, kInner}), s.input("w", {kInner, kColumns})},
                  {kRows, kColumns}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(g.call("y", "aten.mm.default",
                    {g.input("x", {kRows, kInner}), g.input("w", {kInner, kColumns / 2})},
                    {kRows, kColumns / 2}));
  }
  c.replicate("x");
  c.shard("w", 1);
  c.expect("y", {swapped ? "concat(y@1, y@0; dim=1)" : "concat(y@0, y@1; dim=1)"});
  return c.build();
}

TEST(Contraction, ColumnParallelProductIsAConcatenationInRankOrder) {
  EXPECT_TRUE(proves(column_split(false)));
  EXPECT_FALSE(proves(column_split(true)));
}

/// Sequence parallel: all_gather, column then row parallel, reduce_scatter.
Case sequence_parallel(bool scattered_in_order) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef x = s.input("x", {kRows, kInner}), a = s.input("a", {kInner, kColumns}),
                  b = s.input("b", {kColumns, kInner});
  const TensorRef h = s.call("h", "aten.mm.default", {x, a}, {kRows, kColumns});
  const TensorRef g = s.call("g", "aten.gelu.default", {h}, {kRows, kColumns});
  s.output(s.call("y", "aten.mm.default", {g, b}, {kRows, kInner}));
  for (int r = 0; r < 2; ++r) {
    auto& p = c.rank(r);
    const TensorRef shard = p.input("x", {kRows / 2, kInner});
    const TensorRef up = p.input("a", {kInner, kColumns / 2}),
                    down = p.input("b", {kColumns / 2, kInner});
    const TensorRef full = all_gather(p, "full", shard, 2);
    const TensorRef hidden = p.call("h", "aten.mm.default", {full, up}, {kRows, kColumns / 2});
    const TensorRef active = p.call("g", "aten.gelu.default", {hidden}, {kRows, kColumns / 2});
    const TensorRef part = p.call("part", "aten.mm.default", {active, down}, {kRows, kInner});
    p.output(reduce_scatter(p, "y", part, 2));
  }
  c.shard("x", 0);
  c.shard("a", 1);
  c.shard("b", 0);
  c.expect("y", {scattered_in_order ? "concat(y@0, y@1; dim=0)" : "concat(y@1, y@0; dim=0)"});
  return c.build();
}

TEST(Contraction, SequenceParallelBlockIsScatteredByRank) {
  EXPECT_TRUE(proves(sequence_parallel(true)));
  EXPECT_FALSE(proves(sequence_parallel(false)));
}

/// gelu(x @ a): `early` applies gelu to the pending sum.
Case reduced_before_gelu(bool early) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef h =
      s.call("h", "aten.mm.default",
             {s.input("x", {kRows, kInner}), s.input("a", {kInner, kColumns})}, {kRows, kColumns});
  s.output(s.call("y", "aten.gelu.default", {h}, {kRows, kColumns}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    TensorRef part =
        g.call("h", "aten.mm.default",
               {g.input("x", {kRows, kInner / 2}), g.input("a", {kInner / 2, kColumns})},
               {kRows, kColumns});
    if (!early) part = all_reduce(g, "sum", part);
    TensorRef y = g.call("y", "aten.gelu.default", {part}, {kRows, kColumns});
    if (early) y = all_reduce(g, "late", y);
    g.output(y);
  }
  c.shard("x", 1);
  c.shard("a", 0);
  return c.build();
}

TEST(Contraction, ANonlinearFunctionOfAPendingSumIsNoPartOfItsResult) {
  EXPECT_TRUE(proves(reduced_before_gelu(false)));
  EXPECT_FALSE(proves(reduced_before_gelu(true)));
}

/// beta * m + a @ b, the distributed side with its own beta.
Case added_product(double beta_sequential, double beta_distributed) {
  CaseBuilder c(2);
  const Shape shape{2, kRows, kColumns};
  const auto program = [&](GraphBuilder& g, double beta, int inner) {
    return g.call("y", "aten.baddbmm.default",
                  {g.input("m", shape), g.input("a", {2, kRows, inner}),
                   g.input("b", {2, inner, kColumns}), beta, 0.5},
                  shape);
  };
  c.sequential().output(program(c.sequential(), beta_sequential, kInner));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(all_reduce(g, "sum", program(g, beta_distributed, kInner / 2)));
  }
  c.replicate("m");
  c.shard("a", 2);
  c.shard("b", 1);
  return c.build();
}

TEST(Contraction, TheAddedMatrixCountsOncePerRank) {
  EXPECT_TRUE(proves(added_product(0, 0)));
  EXPECT_TRUE(proves(added_product(1, 0.5)));
  EXPECT_FALSE(proves(added_product(1, 1)));
  EXPECT_FALSE(proves(added_product(1, 0)));
  EXPECT_FALSE(proves(added_product(0, 1)));
}

/// sum over ranks of scale * (x @ w): the whole times `scale`.
Case scaled(double sequential, double distributed) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, double scale, int inner) {
    const TensorRef y =
        g.call("h", "aten.mm.default",
               {g.input("x", {kRows, inner}), g.input("w", {inner, kColumns})}, {kRows, kColumns});
    return g.call("y", "aten.mul.Tensor", {y, scale}, {kRows, kColumns});
  };
  c.sequential().output(program(c.sequential(), sequential, kInner));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(all_reduce(g, "sum", program(g, distributed, kInner / 2)));
  }
  c.shard("x", 1);
  c.shard("w", 0);
  c.expect("y", {"sum@0"});
  return c.build();
}

/// relu(a + b); the rank as relu(2 (a / 2 + b * of_b)).
Case scaled_sum(double of_b) {
  CaseBuilder c(1);
  const auto binary = [](GraphBuilder& g, const char* name, const char* op, Argument x,
                         Argument y) {
    return g.call(name, op, {std::move(x), std::move(y)}, {4, 6});
  };
  auto& s = c.sequential();
  const TensorRef sum =
      binary(s, "sum", "aten.add.Tensor", s.input("a", {4, 6}), s.input("b", {4, 6}));
  s.output(s.call("y", "aten.relu.default", {sum}, {4, 6}));
  auto& g = c.rank(0);
  const TensorRef a = binary(g, "half_a", "aten.div.Tensor", g.input("a", {4, 6}), 2);
  const TensorRef b = binary(g, "some_b", "aten.mul.Tensor", g.input("b", {4, 6}), of_b);
  const TensorRef half = binary(g, "half", "aten.add.Tensor", b, a);
  const TensorRef whole = binary(g, "whole", "aten.mul.Tensor", half, 2.0);
  g.output(g.call("y", "aten.relu.default", {whole}, {4, 6}));
  c.replicate("a");
  c.replicate("b");
  c.expect("y", {"y@0"});
  return c.build();
}

TEST(Contraction, MultiplesOfASumAreMultiplesOfOneValue) {
  EXPECT_TRUE(proves(scaled_sum(0.5)));
  EXPECT_FALSE(proves(scaled_sum(0.25)));
  EXPECT_FALSE(proves(scaled_sum(1.0)));
}

TEST(Contraction, AScaleIsPartOfTheValue) {
  EXPECT_TRUE(proves(scaled(0.125, 0.125)));
  EXPECT_FALSE(proves(scaled(0.125, 0.25)));
  EXPECT_FALSE(proves(scaled(1.0 / 3, 0.3333)));
}

/// The first four of eight products x * w; the ranks take every `step`-th element of x.
Case product_of_every(int step) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  const TensorRef whole =
      s.call("whole", "aten.mul.Tensor", {s.input("x", {8}), s.input("w", {8})}, {8});
  s.output(s.call("y", "aten.slice.Tensor", {whole, 0, 0, 4}, {4}));
  auto& g = c.rank(0);
  const TensorRef x =
      g.call("px", "aten.slice.Tensor", {g.input("x", {8}), 0, 0, 4 * step, step}, {4});
  const TensorRef w = g.call("pw", "aten.slice.Tensor", {g.input("w", {8}), 0, 0, 4}, {4});
  g.output(g.call("y", "aten.mul.Tensor", {x, w}, {4}));
  c.replicate("x");
  c.replicate("w");
  return c.build();
}

TEST(Contraction, FactorsAdvanceTogether) {
  EXPECT_TRUE(proves(product_of_every(1)));
  EXPECT_FALSE(proves(product_of_every(2)));
}

/// Packed projection of two query heads and one key and value head each, split over two ranks.
Case packed_projection(bool by_heads) {
  constexpr int kHead = 2, kTokens = 3, kWidth = 4;
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int heads) {
    const int rows = 3 * heads * kHead, part = heads * kHead;
    const TensorRef w = g.input("w", {rows, kWidth});
    const TensorRef t = g.call("wt", "aten.t.default", {w}, {kWidth, rows});
    const TensorRef qkv =
        g.call("qkv", "aten.mm.default", {g.input("x", {kTokens, kWidth}), t}, {kTokens, rows});
    const auto parts =
        g.call_many("part", "aten.split_with_sizes.default", {qkv, {part, part, part}, 1},
                    {{{kTokens, part}}, {{kTokens, part}}, {{kTokens, part}}});
    const TensorRef qk = g.call("qk", "aten.mul.Tensor", {parts[0], parts[1]}, {kTokens, part});
    return g.call("y", "aten.mul.Tensor", {qk, parts[2]}, {kTokens, part});
  };
  c.sequential().output(program(c.sequential(), 2));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), 1));
  c.replicate("x");
  if (by_heads) {
    const auto part = [](int p) {
      const std::string range =
          "; dim=0, start=" + std::to_string(2 * p) + ", end=" + std::to_string(2 * p + 2) + ")";
      return "concat(slice(w@0" + range + ", slice(w@1" + range + "; dim=0)";
    };
    c.relate("w", {"concat(" + part(0) + ", " + part(1) + ", " + part(2) + "; dim=0)"});
  } else {
    c.shard("w", 0);
  }
  return c.build();
}

TEST(Contraction, APackedProjectionMustBeSplitByHeads) {
  EXPECT_TRUE(proves(packed_projection(true)));
  EXPECT_FALSE(proves(packed_projection(false)));
}

/// silu(gate) * up over packed halves.
Case packed_halves(bool each_half_split) {
  constexpr int kWidth = 8;
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int width) {
    const TensorRef x = g.input("x", {kRows, 2 * width});
    const TensorRef out =
        g.call("out", "aten.empty.memory_format", {{kRows, width}}, {kRows, width});
    return g.call("y", "_C.silu_and_mul.default", {out, x}, {kRows, width});
  };
  c.sequential().output(program(c.sequential(), kWidth));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), kWidth / 2));
  if (each_half_split) {
    c.relate("x", {"concat(slice(x@0; dim=1, start=0, end=4), slice(x@1; dim=1, start=0, end=4), "
                   "slice(x@0; dim=1, start=4, end=8), slice(x@1; dim=1, start=4, end=8); dim=1)"});
  } else {
    c.shard("x", 1);
  }
  return c.build();
}

TEST(Contraction, APackedGateMustBeSplitInEachHalf) {
  EXPECT_TRUE(proves(packed_halves(true)));
  EXPECT_FALSE(proves(packed_halves(false)));
}

}  // namespace
}  // namespace assay::test
