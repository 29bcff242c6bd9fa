// Shards of different sizes, cut as torch.chunk cuts: the last ones are smaller, or empty.
#include <fmt/format.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kUnevenRows = 5;

int64_t rows_of_a_piece(int ranks) { return (kUnevenRows + ranks - 1) / ranks; }

int64_t rows_of(int rank, int ranks) {
  return std::clamp<int64_t>(kUnevenRows - rank * rows_of_a_piece(ranks), 0,
                             rows_of_a_piece(ranks));
}

TensorRef rows(GraphBuilder& g, const std::string& name, TensorRef x, int64_t start, int64_t end) {
  Shape shape = g.shape(x);
  shape[0] = end - start;
  return g.call(name, "aten.slice.Tensor", {x, 0, start, end}, shape);
}

/// As many rows as the largest piece has.
TensorRef padded(GraphBuilder& g, const std::string& name, TensorRef x, int64_t to) {
  Shape shape = g.shape(x);
  shape[0] = to - shape[0];
  const TensorRef zeros = g.call(name + "_pad", "aten.zeros.default",
                                 {{Argument(shape[0]), Argument(shape[1])}}, shape);
  shape[0] = to;
  return g.call(name, "aten.cat.default", {{x, zeros}, 0}, shape);
}

TensorRef joined(GraphBuilder& g, const std::vector<TensorRef>& pieces) {
  Shape shape = g.shape(pieces.front());
  shape[0] = kUnevenRows;
  return g.call("whole", "aten.cat.default",
                {std::vector<Argument>(pieces.begin(), pieces.end()), 0}, shape);
}

/// The pieces of an all_gather of padded ones; `padding_kept`: the last rows instead.
TensorRef gathered(GraphBuilder& g, TensorRef piece, int ranks, bool padding_kept) {
  const int64_t size = rows_of_a_piece(ranks);
  const TensorRef all = all_gather(g, "all", padded(g, "padded", piece, size), ranks);
  if (padding_kept) return rows(g, "whole", all, size * ranks - kUnevenRows, size * ranks);
  std::vector<TensorRef> pieces;
  for (int r = 0; r < ranks; ++r)
    pieces.push_back(
        rows(g, fmt::format("piece_{}", r), all, r * size, r * size + rows_of(r, ranks)));
  return joined(g, pieces);
}

/// Rows of y = relu(x), gathered; each rank has its own number of them.
Case gathered_rows(int ranks, bool padding_kept) {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {kUnevenRows, 3})}, {kUnevenRows, 3}));
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const Shape own{rows_of(r, ranks), 3};
    const TensorRef y = g.call("y", "aten.relu.default", {g.input("x", own)}, own);
    g.output(gathered(g, y, ranks, padding_kept));
  }
  c.shard("x", 0);
  c.expect("y", {"whole@0"});
  return c.build();
}

TEST(Uneven, PaddedPiecesAreGatheredWithoutTheirPadding) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_TRUE(proves(gathered_rows(ranks, false))) << ranks;
    EXPECT_FALSE(proves(gathered_rows(ranks, true))) << ranks;
  }
}

/// Each rank's rows of x w.
Case sharded_rows(int ranks, const std::string& y) {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.mm.default", {s.input("x", {kUnevenRows, 3}), s.input("w", {3, 4})},
                  {kUnevenRows, 4}));
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const int64_t own = rows_of(r, ranks);
    g.output(
        g.call("y", "aten.mm.default", {g.input("x", {own, 3}), g.input("w", {3, 4})}, {own, 4}));
  }
  c.shard("x", 0);
  c.replicate("w");
  c.expect("y", {y});
  return c.build();
}

TEST(Uneven, RowsStayWhereTheyAre) {
  EXPECT_TRUE(proves(sharded_rows(2, "concat(y@0, y@1; dim=0)")));
  EXPECT_TRUE(proves(sharded_rows(4, "concat(y@0, y@1, y@2, y@3; dim=0)")));
  EXPECT_TRUE(proves(sharded_rows(4, "concat(y@0, y@1, y@2; dim=0)")));
  EXPECT_FALSE(proves(sharded_rows(4, "concat(y@1, y@0, y@2; dim=0)")));
}

/// A row-parallel product: each rank has a piece of the inner dimension, the last one none of four.
Case row_parallel(int ranks, bool last_one_twice, const char* reduce = "sum") {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.mm.default",
                  {s.input("x", {4, kUnevenRows}), s.input("w", {kUnevenRows, 3})}, {4, 3}));
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const int64_t own = rows_of(r, ranks);
    TensorRef part =
        g.call("part", "aten.mm.default", {g.input("x", {4, own}), g.input("w", {own, 3})}, {4, 3});
    if (last_one_twice && r == 2) part = g.call("twice", "aten.add.Tensor", {part, part}, {4, 3});
    g.output("y", all_reduce(g, "sum", part, reduce));
  }
  c.shard("x", 1);
  c.shard("w", 0);
  c.expect("y", {"sum@0"});
  return c.build();
}

TEST(Uneven, PartsOfAProductAddUp) {
  for (const int ranks : {2, 3, 4}) EXPECT_TRUE(proves(row_parallel(ranks, false))) << ranks;
  EXPECT_FALSE(proves(row_parallel(4, true)));
}

TEST(Uneven, PartsOfAProductMultipliedAreAnotherFunction) {
  for (const int ranks : {2, 3, 4}) EXPECT_FALSE(proves(row_parallel(ranks, false, "product")));
}

/// A sum over ranks, padded, scattered and cut to what is one's own; `late`: cut from the other
/// end.
Case scattered_rows(int ranks, bool late) {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {kUnevenRows, 3})}, {kUnevenRows, 3}));
  std::string y;
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const int64_t size = rows_of_a_piece(ranks), own = rows_of(r, ranks);
    TensorRef x = padded(g, "padded", g.input("x", {kUnevenRows, 3}), size * ranks);
    x = reduce_scatter(g, "piece", x, ranks);
    x = late ? rows(g, "own", x, size - own, size) : rows(g, "own", x, 0, own);
    g.output(g.call("y", "aten.relu.default", {x}, {own, 3}));
    y += fmt::format("{}y@{}", r ? ", " : "", r);
  }
  std::string x;
  for (int r = 0; r < ranks; ++r) x += fmt::format("{}x@{}", r ? ", " : "", r);
  c.relate("x", {"sum(" + x + ")"});
  c.expect("y", {"concat(" + y + "; dim=0)"});
  return c.build();
}

TEST(Uneven, APaddedSumIsScatteredInPieces) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_TRUE(proves(scattered_rows(ranks, false))) << ranks;
    EXPECT_FALSE(proves(scattered_rows(ranks, true))) << ranks;
  }
}

/// All_gather into a list of tensors of different sizes.
Case listed_rows(int ranks, bool reversed) {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.relu.default", {s.input("x", {kUnevenRows, 3})}, {kUnevenRows, 3}));
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const TensorRef x = g.input("x", {rows_of(r, ranks), 3});
    std::vector<TensorType> types;
    std::vector<Argument> memory;
    for (int from = 0; from < ranks; ++from) {
      const Shape shape{rows_of(from, ranks), 3};
      types.push_back({shape});
      memory.push_back(g.call(fmt::format("empty_{}", from), "aten.empty.memory_format",
                              {{Argument(shape[0]), Argument(3)}}, shape));
    }
    std::vector<TensorRef> pieces =
        g.call_many("all", "c10d.all_gather.default", {memory, x, ranks, "tp"}, types);
    if (reversed) std::reverse(pieces.begin(), pieces.end());
    g.output(g.call("y", "aten.relu.default", {joined(g, pieces)}, {kUnevenRows, 3}));
  }
  c.shard("x", 0);
  c.expect("y", {"y@0"});
  return c.build();
}

TEST(Uneven, PiecesGatheredIntoAListAreTheWhole) {
  for (const int ranks : {2, 4}) {
    EXPECT_TRUE(proves(listed_rows(ranks, false))) << ranks;
    EXPECT_FALSE(proves(listed_rows(ranks, true))) << ranks;
  }
}

}  // namespace
}  // namespace assay::test
