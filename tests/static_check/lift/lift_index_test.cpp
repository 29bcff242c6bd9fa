// Indices, masks and offsets: a vocabulary split over ranks, and the ways to get it wrong.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kVocabulary = 8, kWidth = 3, kTokens = 5;

/// The bounds of a rank's rows as a program has them.
struct Bounds {
  int first;  // kept ids: first <= id < last
  int last;
  int offset;  // subtracted from kept ids
};

Bounds right_bounds(int rank) {
  const int half = kVocabulary / 2;
  return {rank * half, (rank + 1) * half, rank * half};
}

/// ids shifted to a rank's table, 0 where they are not its own; and the mask of the others.
std::pair<TensorRef, TensorRef> local_ids(GraphBuilder& g, TensorRef ids, const Bounds& bounds) {
  const Shape shape = g.shape(ids);
  const TensorRef below =
      g.call("below", "aten.lt.Scalar", {ids, bounds.first}, shape, DType::kBool);
  const TensorRef above =
      g.call("above", "aten.ge.Scalar", {ids, bounds.last}, shape, DType::kBool);
  const TensorRef mask =
      g.call("mask", "aten.bitwise_or.Tensor", {below, above}, shape, DType::kBool);
  const TensorRef shifted =
      g.call("shifted", "aten.sub.Tensor", {ids, bounds.offset}, shape, DType::kInt64);
  return {g.call("local", "aten.masked_fill.Scalar", {shifted, mask, 0}, shape, DType::kInt64),
          mask};
}

enum class Masking { kOfRows, kNone };

Case embedding(const Bounds& second, Masking masking = Masking::kOfRows) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(
      s.call("y", "aten.embedding.default",
             {s.input("table", {kVocabulary, kWidth}), s.input("ids", {kTokens}, DType::kInt64)},
             {kTokens, kWidth}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef table = g.input("table", {kVocabulary / 2, kWidth});
    const TensorRef ids = g.input("ids", {kTokens}, DType::kInt64);
    const auto [local, mask] = local_ids(g, ids, r == 0 ? right_bounds(0) : second);
    TensorRef rows = g.call("rows", "aten.embedding.default", {table, local}, {kTokens, kWidth});
    if (masking == Masking::kOfRows) {
      const TensorRef column =
          g.call("column", "aten.unsqueeze.default", {mask, 1}, {kTokens, 1}, DType::kBool);
      rows = g.call("kept", "aten.masked_fill.Scalar", {rows, column, 0.0}, {kTokens, kWidth});
    }
    g.output(all_reduce(g, "sum", rows));
  }
  c.shard("table", 0);
  c.replicate("ids");
  c.expect("y", {"sum@0", "sum@1"});
  return c.build();
}

TEST(Index, VocabularyParallelEmbeddingIsProvedByItsBounds) {
  EXPECT_TRUE(proves(embedding(right_bounds(1))));
}

TEST(Index, AWrongVocabularyOffsetIsNoEmbedding) {
  EXPECT_FALSE(proves(embedding({4, 8, 3})));
  EXPECT_FALSE(proves(embedding({4, 8, 5})));
  EXPECT_FALSE(proves(embedding({4, 8, 0})));
}

TEST(Index, AWrongVocabularyBoundIsNoEmbedding) {
  EXPECT_FALSE(proves(embedding({3, 8, 4})));
  EXPECT_FALSE(proves(embedding({5, 8, 4})));
  EXPECT_FALSE(proves(embedding({4, 7, 4})));
}

TEST(Index, ABoundBeyondTheTableChangesNothingForIdsWithinIt) {
  // The sequential table has no row 8: no id is 8.
  EXPECT_TRUE(proves(embedding({4, 9, 4})));
}

/// The sequential program masks ids outside of the vocabulary as the ranks do: every id is allowed.
Case masked_embedding(const Bounds& first) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int rows, const Bounds& bounds) {
    const TensorRef table = g.input("table", {rows, kWidth});
    const auto [local, mask] = local_ids(g, g.input("ids", {kTokens}, DType::kInt64), bounds);
    const TensorRef all =
        g.call("rows", "aten.embedding.default", {table, local}, {kTokens, kWidth});
    const TensorRef column =
        g.call("column", "aten.unsqueeze.default", {mask, 1}, {kTokens, 1}, DType::kBool);
    return g.call("y", "aten.masked_fill.Scalar", {all, column, 0.0}, {kTokens, kWidth});
  };
  c.sequential().output(program(c.sequential(), kVocabulary, {0, kVocabulary, 0}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(all_reduce(g, "sum", program(g, kVocabulary / 2, r == 0 ? first : right_bounds(1))));
  }
  c.shard("table", 0);
  c.replicate("ids");
  c.expect("y", {"sum@0", "sum@1"});
  return c.build();
}

TEST(Index, IdsThatTheSequentialProgramMasksMayHaveAnyValue) {
  EXPECT_TRUE(proves(masked_embedding(right_bounds(0))));
  EXPECT_FALSE(proves(masked_embedding({0, 5, 0})));   // row 4 of a table of 4 rows
  EXPECT_FALSE(proves(masked_embedding({0, 9, 0})));   // rows that the other rank has
  EXPECT_FALSE(proves(masked_embedding({-1, 4, 0})));  // row -1
}

TEST(Index, ALookupThatTheSequentialProgramDoesNotMakeHasClaimsOfItsOwn) {
  // Class 0 stands for masked ids too, and is a block of its own.
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const bool is_rank = g == &c.rank(0);
    TensorRef x = g->input("x", {kVocabulary, kTokens});
    const TensorRef ids = g->input("ids", {kTokens}, DType::kInt64);
    if (is_rank) x = g->call("activation", "aten.relu.default", {x}, {kVocabulary, kTokens});
    const TensorRef logits = g->call("logits", "aten.t.default", {x}, {kTokens, kVocabulary});
    const TensorRef column =
        g->call("column", "aten.unsqueeze.default",
                {is_rank ? local_ids(*g, ids, {0, kVocabulary, 0}).first : ids, 1}, {kTokens, 1},
                DType::kInt64);
    g->output(g->call("y", "aten.gather.default", {logits, 1, column}, {kTokens, 1}));
  }
  c.replicate("x");
  c.replicate("ids");
  EXPECT_FALSE(proves(c.build()));
}

TEST(Index, RowsOfOtherRanksMustBeMasked) {
  EXPECT_FALSE(proves(embedding(right_bounds(1), Masking::kNone)));
}

/// The logit at the target, vocabulary split over the ranks.
Case target_logit(const Bounds& second) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef logits = s.input("logits", {kTokens, kVocabulary});
  const TensorRef target = s.input("target", {kTokens}, DType::kInt64);
  const TensorRef column =
      s.call("column", "aten.unsqueeze.default", {target, 1}, {kTokens, 1}, DType::kInt64);
  const TensorRef picked =
      s.call("picked", "aten.gather.default", {logits, 1, column}, {kTokens, 1});
  s.output(s.call("y", "aten.squeeze.dim", {picked, 1}, {kTokens}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef shard = g.input("logits", {kTokens, kVocabulary / 2});
    const TensorRef ids = g.input("target", {kTokens}, DType::kInt64);
    const auto [local, mask] = local_ids(g, ids, r == 0 ? right_bounds(0) : second);
    const TensorRef at =
        g.call("at", "aten.unsqueeze.default", {local, 1}, {kTokens, 1}, DType::kInt64);
    const TensorRef own = g.call("own", "aten.gather.default", {shard, 1, at}, {kTokens, 1});
    const TensorRef flat = g.call("flat", "aten.squeeze.dim", {own, 1}, {kTokens});
    const TensorRef kept = g.call("kept", "aten.masked_fill.Scalar", {flat, mask, 0.0}, {kTokens});
    g.output(all_reduce(g, "sum", kept));
  }
  c.shard("logits", 1);
  c.replicate("target");
  c.expect("y", {"sum@0", "sum@1"});
  return c.build();
}

TEST(Index, TheTargetLogitIsTheSumOfMaskedPicks) {
  EXPECT_TRUE(proves(target_logit(right_bounds(1))));
  EXPECT_FALSE(proves(target_logit({4, 8, 3})));
  EXPECT_FALSE(proves(target_logit({3, 8, 4})));
}

/// The sum of exponentials of a cross entropy, shifted by the largest logit.
Case sum_of_exponentials(bool maximum_reduced, bool sum_reduced) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int columns, bool distributed) {
    const TensorRef x = g.input("x", {kTokens, columns});
    TensorRef largest = g.call("largest", "aten.amax.default", {x, {1}, true}, {kTokens, 1});
    if (distributed && maximum_reduced) largest = all_reduce(g, "largest_of_all", largest, "max");
    const TensorRef shifted =
        g.call("shifted", "aten.sub.Tensor", {x, largest}, {kTokens, columns});
    const TensorRef e = g.call("e", "aten.exp.default", {shifted}, {kTokens, columns});
    TensorRef sum = g.call("sum", "aten.sum.dim_IntList", {e, {1}}, {kTokens});
    if (distributed && sum_reduced) sum = all_reduce(g, "sum_of_all", sum);
    g.output(g.call("y", "aten.log.default", {sum}, {kTokens}));
  };
  program(c.sequential(), kVocabulary, false);
  for (int r = 0; r < 2; ++r) program(c.rank(r), kVocabulary / 2, true);
  c.shard("x", 1);
  return c.build();
}

TEST(Index, TheLogarithmOfASplitSumNeedsBothReductions) {
  EXPECT_TRUE(proves(sum_of_exponentials(true, true)));
  EXPECT_FALSE(proves(sum_of_exponentials(false, true)));
  EXPECT_FALSE(proves(sum_of_exponentials(true, false)));
}

/// y = x with v written at `index`.
Case written_at(bool same_index) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, const char* index) {
    const TensorRef x = g.input("x", {kTokens, kWidth});
    const TensorRef i = g.input("i", {2}, DType::kInt64), j = g.input("j", {2}, DType::kInt64);
    const TensorRef v = g.input("v", {2, kWidth});
    return g.call("y", "aten.index_put.default", {x, {std::string(index) == "i" ? i : j}, v},
                  {kTokens, kWidth});
  };
  c.sequential().output(program(c.sequential(), "i"));
  c.rank(0).output(program(c.rank(0), same_index ? "i" : "j"));
  for (const char* name : {"x", "i", "j", "v"}) c.replicate(name);
  return c.build();
}

TEST(Index, WritingAtAnotherIndexIsAnotherTensor) {
  EXPECT_TRUE(proves(written_at(true)));
  EXPECT_FALSE(proves(written_at(false)));
}

/// x cast to an integer type and back.
Case cast_and_back(DType from, DType through, bool cast) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  s.output(s.call("y", "aten.clone.default", {s.input("x", {4}, from)}, {4}, from));
  auto& g = c.rank(0);
  TensorRef x = g.input("x", {4}, from);
  if (cast) {
    x = g.call("i", "aten._to_copy.default", {x, through}, {4}, through);
    x = g.call("y", "aten._to_copy.default", {x, from}, {4}, from);
  }
  g.output(x);
  c.replicate("x");
  return c.build();
}

/// table[ids], with the ids cast on the distributed side.
Case rows_by_cast_ids(DType from, DType to) {
  CaseBuilder c(1);
  const auto program = [&](GraphBuilder& g, bool cast) {
    const TensorRef table = g.input("table", {kVocabulary, kWidth});
    TensorRef ids = g.input("ids", {kTokens}, from);
    if (cast) ids = g.call("cast", "aten._to_copy.default", {ids, to}, {kTokens}, to);
    return g.call("y", "aten.embedding.default", {table, ids}, {kTokens, kWidth});
  };
  c.sequential().output(program(c.sequential(), false));
  c.rank(0).output(program(c.rank(0), true));
  c.replicate("table");
  c.replicate("ids");
  return c.build();
}

TEST(Index, CastsThatLoseValuesAreNotTheIdentity) {
  EXPECT_TRUE(proves(cast_and_back(DType::kFloat32, DType::kInt64, false)));
  EXPECT_FALSE(proves(cast_and_back(DType::kFloat32, DType::kInt64, true)));
  EXPECT_FALSE(proves(cast_and_back(DType::kFloat32, DType::kBool, true)));
  EXPECT_FALSE(proves(cast_and_back(DType::kInt64, DType::kBool, true)));
  EXPECT_FALSE(proves(cast_and_back(DType::kInt64, DType::kUint8, true)));
  EXPECT_FALSE(proves(cast_and_back(DType::kInt64, DType::kInt8, true)));
  // Rows of a table of eight are in its range.
  EXPECT_TRUE(proves(rows_by_cast_ids(DType::kInt64, DType::kInt8)));
}

TEST(Index, CastsThatKeepValuesAreTheIdentity) {
  EXPECT_TRUE(proves(cast_and_back(DType::kFloat32, DType::kBFloat16, true)));
  EXPECT_TRUE(proves(rows_by_cast_ids(DType::kInt32, DType::kInt64)));
}

/// x where it is at least 0, by flags that became numbers, and on the rank `times` that and flags
/// again.
Case gated(int times) {
  CaseBuilder c(1);
  const auto program = [&](GraphBuilder& g, bool again) {
    const TensorRef x = g.input("x", {4});
    const TensorRef flags = g.call("flags", "aten.ge.Scalar", {x, 0}, {4}, DType::kBool);
    TensorRef gate = g.call("gate", "aten._to_copy.default", {flags, DType::kFloat32}, {4});
    if (again) {
      const TensorRef scaled = g.call("scaled", "aten.mul.Scalar", {gate, times}, {4});
      const TensorRef back =
          g.call("back", "aten._to_copy.default", {scaled, DType::kBool}, {4}, DType::kBool);
      gate = g.call("again", "aten._to_copy.default", {back, DType::kFloat32}, {4});
    }
    g.output(g.call("y", "aten.mul.Tensor", {x, gate}, {4}));
  };
  program(c.sequential(), false);
  program(c.rank(0), true);
  c.replicate("x");
  return c.build();
}

TEST(Index, NumbersThatAreFlagsAreFlagsAgain) {
  EXPECT_TRUE(proves(gated(1)));
  EXPECT_TRUE(proves(gated(3)));
  EXPECT_FALSE(proves(gated(0)));
}

/// A causal mask added as -inf before softmax; `shift` moves its diagonal.
Case causal(int shift) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int heads, int diagonal) {
    const TensorRef scores = g.input("scores", {heads, 4, 4});
    const TensorRef ones =
        g.call("ones", "aten.ones.default", {{4, 4}, DType::kBool}, {4, 4}, DType::kBool);
    const TensorRef upper =
        g.call("upper", "aten.triu.default", {ones, diagonal}, {4, 4}, DType::kBool);
    const TensorRef masked =
        g.call("masked", "aten.masked_fill.Scalar",
               {scores, upper, -std::numeric_limits<double>::infinity()}, {heads, 4, 4});
    return g.call("y", "aten._softmax.default", {masked, 2, false}, {heads, 4, 4});
  };
  c.sequential().output(program(c.sequential(), 4, 1));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), 2, r == 0 ? 1 : shift));
  c.shard("scores", 0);
  return c.build();
}

TEST(Index, AShiftedCausalMaskIsAnotherFunction) {
  EXPECT_TRUE(proves(causal(1)));
  EXPECT_FALSE(proves(causal(2)));
}

}  // namespace
}  // namespace assay::test
