// Flat buffers that hold several weights, whose shards cut through their rows, with padding at the
// end (ZeRO, FSDP).
#include <fmt/format.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kFirst = 15;   // elements of w1 [5, 3]
constexpr int64_t kSecond = 10;  // elements of w2 [2, 5]
constexpr int64_t kElements = kFirst + kSecond;

int64_t piece_size(int ranks) { return (kElements + ranks - 1) / ranks; }

/// Elements [start, end) of the buffer `name`, as a tensor of that shape.
std::string from_buffer(const std::string& name, int ranks, int64_t start, int64_t end,
                        const Shape& shape) {
  std::string pieces;
  for (int r = 0; r < ranks; ++r) pieces += fmt::format("{}{}@{}", r ? ", " : "", name, r);
  return fmt::format("reshape(slice(concat({}; dim=0); dim=0, start={}, end={}); shape={})", pieces,
                     start, end, to_string(shape));
}

void relate_weights(CaseBuilder& c) {
  c.relate("w1", {from_buffer("flat", c.ranks(), 0, kFirst, {5, 3})});
  c.relate("w2", {from_buffer("flat", c.ranks(), kFirst, kElements, {2, 5})});
}

TensorRef taken(GraphBuilder& g, const std::string& name, TensorRef from, int64_t start,
                const Shape& shape) {
  const int64_t count = element_count(shape);
  const TensorRef flat =
      g.call(name + "_flat", "aten.slice.Tensor", {from, 0, start, start + count}, {count});
  return g.call(name, "aten.view.default", {flat, {Argument(shape[0]), Argument(shape[1])}}, shape);
}

TensorRef mlp(GraphBuilder& g, TensorRef x, TensorRef w1, TensorRef w2) {
  const TensorRef t1 = g.call("t1", "aten.t.default", {w1}, {3, 5});
  const TensorRef up = g.call("up", "aten.mm.default", {x, t1}, {4, 5});
  const TensorRef h = g.call("h", "aten.relu.default", {up}, {4, 5});
  const TensorRef t2 = g.call("t2", "aten.t.default", {w2}, {5, 2});
  return g.call("y", "aten.mm.default", {h, t2}, {4, 2});
}

/// Two weights of [count, 1] in one buffer over two ranks, the second from element `start`.
Case two_in_a_buffer(int64_t count, int64_t start) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef w1 = s.input("w1", {count, 1}), w2 = s.input("w2", {count, 1});
  s.output(s.call("y", "aten.add.Tensor", {w1, w2}, {count, 1}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    g.output(g.call("y", "aten.relu.default", {g.input("flat", {count})}, {count}));
  }
  c.relate("w1", {from_buffer("flat", 2, 0, count, {count, 1})});
  c.relate("w2", {from_buffer("flat", 2, start, start + count, {count, 1})});
  return c.build();
}

TEST(FlatShard, WeightsThatOverlapAreAnError) {
  EXPECT_NO_THROW(two_in_a_buffer(4, 4));
  EXPECT_THROW(two_in_a_buffer(4, 3), UserError);
  EXPECT_NO_THROW(two_in_a_buffer(1 << 20, 1 << 20));
  EXPECT_THROW(two_in_a_buffer(1 << 20, (1 << 20) - 1), UserError);
}

/// Weights gathered from their shards before use; the ranks look for w2 at `offset`.
Case gathered_weights(int ranks, int64_t offset) {
  CaseBuilder c(ranks);
  auto& s = c.sequential();
  const TensorRef x = s.input("x", {4, 3}), w1 = s.input("w1", {5, 3}), w2 = s.input("w2", {2, 5});
  s.output(mlp(s, x, w1, w2));
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const TensorRef own = g.input("x", {4, 3});
    const TensorRef all = all_gather(g, "all", g.input("flat", {piece_size(ranks)}), ranks);
    g.output(mlp(g, own, taken(g, "w1", all, 0, {5, 3}), taken(g, "w2", all, offset, {2, 5})));
  }
  c.replicate("x");
  relate_weights(c);
  return c.build();
}

TEST(FlatShard, GatheredWeightsAreTheWeights) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_TRUE(proves(gathered_weights(ranks, kFirst))) << ranks;
    EXPECT_FALSE(proves(gathered_weights(ranks, kFirst - 1))) << ranks;
  }
}

TEST(FlatShard, PaddingIsNoWeight) {
  EXPECT_TRUE(proves(gathered_weights(2, kFirst)));
  EXPECT_FALSE(proves(gathered_weights(2, kFirst + 1)));
}

struct Step {
  int64_t shift = 0;  // of the shard that a rank takes for its own, in ranks
  const char* reduce = "avg";
  bool scattered = true;  // reduce_scatter; else all_reduce and a slice
  bool expected = true;   // the case says where the new weights lie
};

TensorRef gradient(GraphBuilder& g, const std::string& name, TensorRef slope, TensorRef input) {
  const Shape shape{g.shape(slope)[1], g.shape(input)[1]};
  const TensorRef t = g.call(name + "_t", "aten.t.default", {input}, {shape[1], g.shape(input)[0]});
  const TensorRef transposed =
      g.call(name + "_mm", "aten.mm.default", {t, slope}, {shape[1], shape[0]});
  return g.call(name, "aten.t.default", {transposed}, shape);
}

TensorRef descend(GraphBuilder& g, const std::string& name, TensorRef w, TensorRef by) {
  const TensorRef step = g.call(name + "_step", "aten.mul.Tensor", {by, 0.5}, g.shape(w));
  return g.call(name, "aten.sub.Tensor", {w, step}, g.shape(w));
}

TensorRef flattened(GraphBuilder& g, TensorRef w) {
  const int64_t count = element_count(g.shape(w));
  return g.call(g.name_of(w) + "_flat", "aten.reshape.default", {w, {Argument(count)}}, {count});
}

/// One step of gradient descent. Gradients are sums over the batch, which lies over the ranks; each
/// rank updates its shard of the weights.
Case sharded_step(int ranks, const Step& step) {
  constexpr int64_t kBatch = 12;
  CaseBuilder c(ranks);
  const auto inputs = [](GraphBuilder& g, int64_t rows) {
    const TensorRef g1 = gradient(g, "g1", g.input("s1", {rows, 5}), g.input("x", {rows, 3}));
    return std::pair(g1, gradient(g, "g2", g.input("s2", {rows, 2}), g.input("h", {rows, 5})));
  };
  auto& s = c.sequential();
  const auto [g1, g2] = inputs(s, kBatch);
  const TensorRef w1 = s.input("w1", {5, 3}), w2 = s.input("w2", {2, 5});
  s.output(descend(s, "new1", w1, g1));
  s.output(descend(s, "new2", w2, g2));
  const int64_t piece = piece_size(ranks), whole = piece * ranks;
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const auto [part1, part2] = inputs(g, kBatch / ranks);
    const TensorRef pad =
        g.call("pad", "aten.zeros.default", {{Argument(whole - kElements)}}, {whole - kElements});
    const TensorRef bucket = g.call("bucket", "aten.cat.default",
                                    {{flattened(g, part1), flattened(g, part2), pad}, 0}, {whole});
    TensorRef own;
    if (step.scattered) {
      own = g.call("own", "_c10d_functional.reduce_scatter_tensor.default",
                   {bucket, step.reduce, ranks, "tp"}, {piece});
    } else {
      const TensorRef all = all_reduce(g, "all", bucket, step.reduce);
      const int64_t start = (r + step.shift) % ranks * piece;
      own = g.call("own", "aten.slice.Tensor", {all, 0, start, start + piece}, {piece});
    }
    g.output(descend(g, "new", g.input("flat", {piece}), own));
  }
  for (const char* name : {"s1", "x", "s2", "h"}) c.shard(name, 0);
  relate_weights(c);
  if (step.expected) {
    c.expect("new1", {from_buffer("new", ranks, 0, kFirst, {5, 3})});
    c.expect("new2", {from_buffer("new", ranks, kFirst, kElements, {2, 5})});
  }
  return c.build();
}

TEST(FlatShard, AStepOnShardsIsAStepOnWeights) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_TRUE(proves(sharded_step(ranks, {.reduce = "sum"}))) << ranks;
    EXPECT_TRUE(proves(sharded_step(ranks, {.reduce = "sum", .scattered = false}))) << ranks;
  }
}

TEST(FlatShard, ARelationOfFlatShardsIsFound) {
  const auto relation_of_new2 = [](int ranks) {
    return prove(sharded_step(ranks, {.reduce = "sum", .expected = false}))
        .report.outputs.at(1)
        .relation;
  };
  EXPECT_EQ(
      relation_of_new2(2),
      std::vector<std::string>{"reshape(slice(new@1; dim=0, start=2, end=12); shape=[2, 5])"});
  EXPECT_EQ(relation_of_new2(4),
            std::vector<std::string>{"reshape(concat(slice(new@2; dim=0, start=1, end=7), "
                                     "slice(new@3; dim=0, start=0, end=4); dim=0); shape=[2, 5])"});
}

TEST(FlatShard, TheMeanOfGradientsIsNotTheirSum) {
  EXPECT_FALSE(proves(sharded_step(2, {.reduce = "avg"})));
}

TEST(FlatShard, AnotherRanksGradientIsNotOnesOwn) {
  EXPECT_FALSE(proves(sharded_step(2, {.shift = 1, .reduce = "sum", .scattered = false})));
  EXPECT_FALSE(proves(sharded_step(4, {.shift = 3, .reduce = "sum", .scattered = false})));
}

/// The sum of squares of both weights, from shards; `all`: padding is squared, too.
Case squared_norm(int ranks, bool all) {
  CaseBuilder c(ranks);
  const auto squares = [](GraphBuilder& g, const std::string& name, TensorRef w) {
    const TensorRef square = g.call(name + "_sq", "aten.mul.Tensor", {w, w}, g.shape(w));
    return g.call(name + "_sum", "aten.sum.default", {square}, {});
  };
  auto& s = c.sequential();
  const TensorRef w1 = s.input("w1", {5, 3}), w2 = s.input("w2", {2, 5});
  s.output(s.call("norm", "aten.add.Tensor", {squares(s, "n1", w1), squares(s, "n2", w2)}, {}));
  const int64_t piece = piece_size(ranks);
  for (int r = 0; r < ranks; ++r) {
    auto& g = c.rank(r);
    const int64_t kept = all ? piece : std::clamp<int64_t>(kElements - r * piece, 0, piece);
    const TensorRef own =
        g.call("own", "aten.slice.Tensor", {g.input("flat", {piece}), 0, 0, kept}, {kept});
    g.output("norm", all_reduce(g, "norm", squares(g, "n", own)));
  }
  relate_weights(c);
  c.expect("norm", {"norm@0"});
  return c.build();
}

TEST(FlatShard, ANormOfShardsIsANormOfWeights) {
  for (const int ranks : {2, 3, 4}) EXPECT_TRUE(proves(squared_norm(ranks, false))) << ranks;
}

TEST(FlatShard, PaddingDoesNotCountIntoANorm) {
  EXPECT_FALSE(proves(squared_norm(2, true)));
  EXPECT_FALSE(proves(squared_norm(4, true)));
}

}  // namespace
}  // namespace assay::test
