// Functions of whole dimensions: they commute with cuts of the other dimensions alone.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// softmax over `dim` of x, which the ranks split along `split`.
Case softmax_of_shards(int dim, int split) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, Shape shape) {
    return g.call("y", "aten._softmax.default", {g.input("x", shape), dim, false}, shape);
  };
  const Shape whole{4, 6};
  Shape shard = whole;
  shard[static_cast<size_t>(split)] /= 2;
  c.sequential().output(program(c.sequential(), whole));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), shard));
  c.shard("x", split);
  return c.build();
}

TEST(Block, SoftmaxCommutesWithCutsOfTheOtherDimension) {
  EXPECT_TRUE(proves(softmax_of_shards(1, 0)));
  EXPECT_TRUE(proves(softmax_of_shards(0, 1)));
}

TEST(Block, SoftmaxDoesNotCommuteWithCutsOfItsOwnDimension) {
  EXPECT_FALSE(proves(softmax_of_shards(1, 1)));
  EXPECT_FALSE(proves(softmax_of_shards(0, 0)));
}

/// softmax of zeros, added to x: sequentially over `whole` columns, on the ranks over `part`.
Case softmax_of_zeros(int whole, int part) {
  CaseBuilder c(1);
  const auto program = [&](GraphBuilder& g, int columns) {
    const TensorRef x = g.input("x", {2, 2});
    const TensorRef zero = g.call("zero", "aten.zeros.default", {{2, columns}}, {2, columns});
    const TensorRef soft = g.call("soft", "aten._softmax.default", {zero, 1, false}, {2, columns});
    const TensorRef two = g.call("two", "aten.slice.Tensor", {soft, 1, 0, 2}, {2, 2});
    return g.call("y", "aten.add.Tensor", {x, two}, {2, 2});
  };
  c.sequential().output(program(c.sequential(), whole));
  c.rank(0).output(program(c.rank(0), part));
  c.replicate("x");
  return c.build();
}

TEST(Block, AZeroTensorKeepsItsSize) {
  EXPECT_TRUE(proves(softmax_of_zeros(4, 4)));
  EXPECT_FALSE(proves(softmax_of_zeros(4, 2)));
}

/// softmax of x repeated: as a whole twice, or each element twice.
Case softmax_of_repeated(bool tiled) {
  CaseBuilder c(1);
  const auto repeated = [](GraphBuilder& g, bool tile) {
    const TensorRef x = g.input("x", {3});
    const TensorRef column = g.call("column", "aten.unsqueeze.default", {x, tile ? 0 : 1},
                                    tile ? Shape{1, 3} : Shape{3, 1});
    const Shape shape = tile ? Shape{2, 3} : Shape{3, 2};
    const TensorRef wide = tile ? g.call("wide", "aten.expand.default", {column, {2, 3}}, shape)
                                : g.call("wide", "aten.expand.default", {column, {3, 2}}, shape);
    const TensorRef flat = g.call("flat", "aten.view.default", {wide, {6}}, {6});
    return g.call("y", "aten.cumsum.default", {flat, 0}, {6});
  };
  c.sequential().output(repeated(c.sequential(), true));
  c.rank(0).output(repeated(c.rank(0), tiled));
  c.replicate("x");
  return c.build();
}

TEST(Block, TilingIsNotRepeatingEachElement) {
  EXPECT_TRUE(proves(softmax_of_repeated(true)));
  EXPECT_FALSE(proves(softmax_of_repeated(false)));
}

/// A function that sees the order of its dimension, on x and on x with its order changed.
Case running_sum_of_permuted(bool permuted) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, bool swapped) {
    TensorRef x = g.input("x", {2, 2});
    if (swapped) x = g.call("t", "aten.t.default", {x}, {2, 2});
    const TensorRef flat = g.call("flat", "aten.view.default", {x, {4}}, {4});
    return g.call("y", "aten.cumsum.default", {flat, 0}, {4});
  };
  c.sequential().output(program(c.sequential(), false));
  c.rank(0).output(program(c.rank(0), permuted));
  c.replicate("x");
  return c.build();
}

TEST(Block, WholeDimensionsAreReadInOrder) {
  EXPECT_TRUE(proves(running_sum_of_permuted(false)));
  EXPECT_FALSE(proves(running_sum_of_permuted(true)));
}

/// A running sum of three of x's six elements, every `step`-th.
Case running_sum_of_every(int step) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, int by) {
    const TensorRef x = g.input("x", {6});
    const TensorRef part = g.call("part", "aten.slice.Tensor", {x, 0, 0, 3 * by, by}, {3});
    return g.call("y", "aten.cumsum.default", {part, 0}, {3});
  };
  c.sequential().output(program(c.sequential(), 1));
  c.rank(0).output(program(c.rank(0), step));
  c.replicate("x");
  return c.build();
}

TEST(Block, WholeDimensionsAreTheSameElements) {
  EXPECT_TRUE(proves(running_sum_of_every(1)));
  EXPECT_FALSE(proves(running_sum_of_every(2)));
}

/// A running sum over the first two columns of x, row by row or column by column.
Case running_sum_of_block(bool transposed) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, bool swapped) {
    TensorRef x = g.call("part", "aten.slice.Tensor", {g.input("x", {2, 3}), 1, 0, 2}, {2, 2});
    if (swapped) x = g.call("t", "aten.t.default", {x}, {2, 2});
    const TensorRef flat = g.call("flat", "aten.view.default", {x, {4}}, {4});
    return g.call("y", "aten.cumsum.default", {flat, 0}, {4});
  };
  c.sequential().output(program(c.sequential(), false));
  c.rank(0).output(program(c.rank(0), transposed));
  c.replicate("x");
  return c.build();
}

TEST(Block, DigitsOfOneSizeAreNotInterchangeable) {
  EXPECT_TRUE(proves(running_sum_of_block(false)));
  EXPECT_FALSE(proves(running_sum_of_block(true)));
}

/// The two results of fused_add_rms_norm, tokens split over the ranks.
Case fused_norm(bool swapped) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int tokens) {
    const Shape shape{tokens, 6};
    g.make_functional();
    return g.call_many(
        "y", "_C.fused_add_rms_norm.default",
        {g.input("x", shape), g.input("residual", shape), g.input("weight", {6}), 1e-6},
        {{shape}, {shape}});
  };
  const auto outputs = program(c.sequential(), 4);
  for (const TensorRef y : outputs) c.sequential().output(y);
  for (int r = 0; r < 2; ++r) {
    for (const TensorRef y : program(c.rank(r), 2)) c.rank(r).output(y);
  }
  c.shard("x", 0);
  c.shard("residual", 0);
  c.replicate("weight");
  const std::string first = swapped ? "y_1" : "y_0", second = swapped ? "y_0" : "y_1";
  c.expect("y_0", {"concat(" + first + "@0, " + first + "@1; dim=0)"});
  c.expect("y_1", {"concat(" + second + "@0, " + second + "@1; dim=0)"});
  return c.build();
}

TEST(Block, TheTwoResultsOfAFusedNormAreDifferentTensors) {
  EXPECT_TRUE(proves(fused_norm(false)));
  EXPECT_FALSE(proves(fused_norm(true)));
}

/// rms_norm whose epsilon differs.
Case norm_with_epsilon(double epsilon) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, double eps) {
    const TensorRef out = g.call("out", "aten.empty.memory_format", {{4, 6}}, {4, 6});
    return g.call("y", "_C.rms_norm.default",
                  {out, g.input("x", {4, 6}), g.input("weight", {6}), eps}, {4, 6});
  };
  c.sequential().output(program(c.sequential(), 1e-6));
  c.rank(0).output(program(c.rank(0), epsilon));
  c.replicate("x");
  c.replicate("weight");
  return c.build();
}

TEST(Block, AttributesArePartOfTheFunction) {
  EXPECT_TRUE(proves(norm_with_epsilon(1e-6)));
  EXPECT_FALSE(proves(norm_with_epsilon(1e-5)));
}

/// The largest entry of a row whose columns the ranks hold.
Case row_maximum(bool reduced_by_maximum) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int columns) {
    return g.call("y", "aten.amax.default", {g.input("x", {4, columns}), {1}, false}, {4});
  };
  c.sequential().output(program(c.sequential(), 6));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(all_reduce(g, "all", program(g, 3), reduced_by_maximum ? "max" : "sum"));
  }
  c.shard("x", 1);
  c.expect("y", {"all@0"});
  return c.build();
}

TEST(Block, AMaximumIsReducedByAMaximum) {
  EXPECT_TRUE(proves(row_maximum(true)));
  EXPECT_FALSE(proves(row_maximum(false)));
}

/// The same random draws on both sides are an assumption; a draw on a shard is none of the whole's.
TEST(Block, RandomDrawsAreNotEqualByTheirAttributes) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  const TensorRef x = s.input("x", {4});
  const TensorRef a = s.call("a", "aten.bernoulli.p", {x, 0.5}, {4});
  const TensorRef b = s.call("b", "aten.bernoulli.p", {x, 0.5}, {4});
  s.output(s.call("y", "aten.sub.Tensor", {a, b}, {4}));
  auto& g = c.rank(0);
  const TensorRef z = g.input("x", {4});
  g.output(g.call("y", "aten.mul.Tensor", {z, 0}, {4}));
  c.replicate("x");
  EXPECT_FALSE(proves(c.build()));
}

}  // namespace
}  // namespace assay::test
