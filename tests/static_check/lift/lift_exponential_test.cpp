// Softmax and its sums of exponentials, in whatever order and by whatever shift they are computed.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

TensorRef unary(GraphBuilder& g, const std::string& name, const std::string& op, TensorRef x) {
  return g.call(name, "aten." + op + ".default", {x}, g.shape(x));
}

TensorRef binary(GraphBuilder& g, const std::string& name, const std::string& op, TensorRef a,
                 TensorRef b) {
  Shape shape = g.shape(a);
  for (size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], g.shape(b)[d]);
  return g.call(name, "aten." + op + ".Tensor", {a, b}, shape);
}

/// Over the last dimension, which stays with size 1.
TensorRef reduced(GraphBuilder& g, const std::string& name, const std::string& op, TensorRef x) {
  Shape shape = g.shape(x);
  shape.back() = 1;
  return g.call(name, "aten." + op, {x, {-1}, true}, shape);
}

TensorRef elementwise_product(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  return g.call(name, "aten.mm.default", {a, b}, {g.shape(a)[0], g.shape(b)[1]});
}

enum class Shifted { kByMaximum, kByMinimum, kOnTopAlone };

/// softmax of x's rows; on the rank from exponentials of x less a shift.
Case shifted_softmax(Shifted how) {
  CaseBuilder c(1);
  auto& s = c.sequential();
  s.output(s.call("y", "aten._softmax.default", {s.input("x", {4, 6}), 1, false}, {4, 6}));
  auto& g = c.rank(0);
  const TensorRef x = g.input("x", {4, 6});
  const TensorRef m =
      reduced(g, "m", how == Shifted::kByMinimum ? "amin.default" : "amax.default", x);
  const TensorRef e = unary(g, "e", "exp", binary(g, "d", "sub", x, m));
  const TensorRef below = how == Shifted::kOnTopAlone ? unary(g, "f", "exp", x) : e;
  g.output(binary(g, "y", "div", e, reduced(g, "l", "sum.dim_IntList", below)));
  c.replicate("x");
  return c.build();
}

TEST(LiftExponential, SoftmaxIsTheSameForEveryShift) {
  EXPECT_TRUE(proves(shifted_softmax(Shifted::kByMaximum)));
  EXPECT_TRUE(proves(shifted_softmax(Shifted::kByMinimum)));
  EXPECT_FALSE(proves(shifted_softmax(Shifted::kOnTopAlone)));
}

constexpr int64_t kQueries = 4, kKeys = 12, kHeadSize = 3, kBlocks = 3;

/// q k^T / 2. Where the keys' positions are known, -10000 for those after the query; the queries
/// are the last of the sequence.
TensorRef attention_scores(GraphBuilder& g, const std::string& name, TensorRef q, TensorRef k,
                           std::optional<int64_t> first_key) {
  const int64_t keys = g.shape(k)[0];
  const Shape shape{kQueries, keys};
  const TensorRef t = g.call(name + "t", "aten.t.default", {k}, {kHeadSize, keys});
  const TensorRef scores =
      g.call(name, "aten.div.Scalar", {elementwise_product(g, name + "qk", q, t), 2.0}, shape);
  if (!first_key) return scores;
  const auto positions = [&](const std::string& of, int64_t first, int64_t count, int dim) {
    const TensorRef flat =
        g.call(name + of, "aten.arange.start", {first, first + count}, {count}, DType::kInt64);
    const Shape wide = dim == 0 ? Shape{1, count} : Shape{count, 1};
    return g.call(name + of + "w", "aten.unsqueeze.default", {flat, dim}, wide, DType::kInt64);
  };
  const TensorRef of_keys = positions("pk", *first_key, keys, 0);
  const TensorRef of_queries = positions("pq", kKeys - kQueries, kQueries, 1);
  const TensorRef future =
      g.call(name + "f", "aten.gt.Tensor", {of_keys, of_queries}, shape, DType::kBool);
  return g.call(name + "m", "aten.masked_fill.Scalar", {scores, future, -10000.0}, shape);
}

/// softmax of the scores, times v.
void attention(GraphBuilder& g, bool causal) {
  const TensorRef q = g.input("q", {kQueries, kHeadSize}), k = g.input("k", {kKeys, kHeadSize});
  const TensorRef v = g.input("v", {kKeys, kHeadSize});
  const TensorRef scores =
      attention_scores(g, "s", q, k, causal ? std::optional<int64_t>(0) : std::nullopt);
  const TensorRef p = g.call("p", "aten._softmax.default", {scores, 1, false}, {kQueries, kKeys});
  g.output(elementwise_product(g, "y", p, v));
}

enum class Merging {
  kRescaled,      // out * exp(lse - new) + block * exp(block_lse - new), new by logaddexp
  kBySum,         // the same, new = lse + log(1 + exp(block_lse - lse))
  kBySigmoid,     // out - sigmoid(block_lse - lse) * (out - block)
  kUnnormalised,  // out and its divisor, both relative to a running maximum
};

enum class RingFault {
  kNone,
  kSumNotUpdated,      // the log of the sum of exponentials stays that of the first block
  kOutputNotRescaled,  // what the blocks before gave keeps its weight
  kBlockTwice,         // the first block is taken again instead of the last
  kBlockDropped,
  kLocalPositions,  // every block is masked as the last one
};

class Ring {
 public:
  Ring(GraphBuilder& g, Merging merging, bool causal, RingFault fault)
      : g_(g), merging_(merging), causal_(causal), fault_(fault) {
    q_ = g.input("q", {kQueries, kHeadSize});
    k_ = g.input("k", {kKeys, kHeadSize});
    v_ = g.input("v", {kKeys, kHeadSize});
  }

  void run() {
    const int blocks = fault_ == RingFault::kBlockDropped ? kBlocks - 1 : kBlocks;
    for (step_ = 0; step_ < blocks; ++step_) {
      const bool again = fault_ == RingFault::kBlockTwice && step_ == kBlocks - 1;
      scores(again ? 0 : step_);
      merging_ == Merging::kUnnormalised ? accumulate() : merge();
    }
    g_.output(merging_ == Merging::kUnnormalised ? op("y", "div", out_, sum_) : out_);
  }

 private:
  std::string name(const std::string& text) const { return text + std::to_string(step_); }
  TensorRef op(const std::string& text, const std::string& op, TensorRef a, TensorRef b) {
    return binary(g_, name(text), op, a, b);
  }
  TensorRef op(const std::string& text, const std::string& op, TensorRef a) {
    return unary(g_, name(text), op, a);
  }

  TensorRef rows(const std::string& text, TensorRef x, int64_t block) {
    const int64_t size = kKeys / kBlocks;
    return g_.call(name(text), "aten.slice.Tensor", {x, 0, block * size, (block + 1) * size},
                   {size, kHeadSize});
  }

  void scores(int64_t block) {
    const bool last = fault_ == RingFault::kLocalPositions;
    std::optional<int64_t> first;
    if (causal_) first = (last ? kBlocks - 1 : block) * kKeys / kBlocks;
    scores_ = attention_scores(g_, name("s"), q_, rows("k", k_, block), first);
    value_ = rows("v", v_, block);
  }

  void merge() {
    const TensorRef lse =
        g_.call(name("lse"), "aten.logsumexp.default", {scores_, {-1}, true}, {kQueries, 1});
    const TensorRef p = g_.call(name("p"), "aten._softmax.default", {scores_, 1, false},
                                {kQueries, kKeys / kBlocks});
    const TensorRef out = elementwise_product(g_, name("o"), p, value_);
    if (step_ == 0) {
      out_ = out;
      lse_ = lse;
      return;
    }
    const TensorRef both = new_lse(lse);
    if (merging_ == Merging::kBySigmoid) {
      const TensorRef weight = op("w", "sigmoid", op("d", "sub", lse, lse_));
      const TensorRef step = op("ws", "mul", weight, op("od", "sub", out_, out));
      out_ = op("out", "sub", out_, step);
    } else {
      TensorRef before = op("a", "mul", out_, op("ea", "exp", op("la", "sub", lse_, both)));
      if (fault_ == RingFault::kOutputNotRescaled) before = out_;
      const TensorRef here = op("b", "mul", out, op("eb", "exp", op("lb", "sub", lse, both)));
      out_ = op("out", "add", before, here);
    }
    if (fault_ != RingFault::kSumNotUpdated) lse_ = both;
  }

  TensorRef new_lse(TensorRef lse) {
    if (merging_ == Merging::kRescaled)
      return g_.call(name("n"), "aten.logaddexp.default", {lse_, lse}, {kQueries, 1});
    if (merging_ == Merging::kBySum) {
      const TensorRef e = op("en", "exp", op("dn", "sub", lse, lse_));
      return op("n", "add", lse_, op("l1p", "log1p", e));
    }
    // lse - log(sigmoid(lse - block_lse))
    const TensorRef weight = op("wn", "sigmoid", op("dn", "sub", lse_, lse));
    return op("n", "sub", lse_, op("ln", "log", weight));
  }

  void accumulate() {
    TensorRef top = reduced(g_, name("m"), "amax.default", scores_);
    if (step_ > 0) top = g_.call(name("mm"), "aten.maximum.default", {top_, top}, {kQueries, 1});
    const TensorRef e = op("e", "exp", op("d", "sub", scores_, top));
    const TensorRef out = elementwise_product(g_, name("o"), e, value_);
    const TensorRef sum = reduced(g_, name("l"), "sum.dim_IntList", e);
    if (step_ > 0) {
      const TensorRef scale = op("c", "exp", op("dm", "sub", top_, top));
      const bool rescaled = fault_ != RingFault::kOutputNotRescaled;
      out_ = op("out", "add", rescaled ? op("os", "mul", out_, scale) : out_, out);
      sum_ = op("sum", "add", op("ss", "mul", sum_, scale), sum);
      if (fault_ != RingFault::kSumNotUpdated) top_ = top;
      return;
    }
    out_ = out;
    sum_ = sum;
    top_ = top;
  }

  GraphBuilder& g_;
  const Merging merging_;
  const bool causal_;
  const RingFault fault_;
  int64_t step_ = 0;
  TensorRef q_, k_, v_, scores_, value_, out_, lse_, sum_, top_;
};

Case ring(Merging merging, bool causal, RingFault fault = RingFault::kNone) {
  CaseBuilder c(1);
  attention(c.sequential(), causal);
  Ring(c.rank(0), merging, causal, fault).run();
  for (const char* name : {"q", "k", "v"}) c.replicate(name);
  return c.build();
}

class RingAttention : public testing::TestWithParam<Merging> {};

TEST_P(RingAttention, OfAllBlocksIsAttentionToAllKeys) {
  EXPECT_TRUE(proves(ring(GetParam(), false)));
  EXPECT_TRUE(proves(ring(GetParam(), true)));
}

TEST_P(RingAttention, NeedsEveryBlockOnceAndItsWeight) {
  for (const RingFault fault : {RingFault::kSumNotUpdated, RingFault::kOutputNotRescaled,
                                RingFault::kBlockTwice, RingFault::kBlockDropped}) {
    if (fault == RingFault::kOutputNotRescaled && GetParam() == Merging::kBySigmoid) continue;
    EXPECT_FALSE(proves(ring(GetParam(), false, fault))) << static_cast<int>(fault);
  }
  EXPECT_FALSE(proves(ring(GetParam(), true, RingFault::kLocalPositions)));
}

INSTANTIATE_TEST_SUITE_P(Forms, RingAttention,
                         testing::Values(Merging::kRescaled, Merging::kBySum, Merging::kBySigmoid,
                                         Merging::kUnnormalised));

}  // namespace
}  // namespace assay::test
