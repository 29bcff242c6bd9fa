// Operators declared as compositions are proved by their parts: convolutions, attention, sorts.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// y = convolution(x, w), the dimension `split` of x or w on the ranks; reduce: their results.
Case convolution_of_shards(const char* split_input, int split, const char* reduce) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int ranks) {
    const std::string input = split_input;
    Shape x{4, 2, 5, 5}, w{6, 2, 3, 2}, y{4, 6, 3, 4};
    if (input == "x") x[static_cast<size_t>(split)] /= ranks;
    if (input == "w" || split == 1) w[static_cast<size_t>(split)] /= ranks;
    if (input == "x" && split == 0) y[0] /= ranks;
    if (input == "w" && split == 0) y[1] /= ranks;
    return g.call(
        "y", "aten.convolution.default",
        {g.input("x", x), g.input("w", w), NoArg{}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1}, y);
  };
  c.sequential().output(program(c.sequential(), 1));
  for (int r = 0; r < 2; ++r) {
    const TensorRef y = program(c.rank(r), 2);
    c.rank(r).output(reduce ? all_reduce(c.rank(r), "reduced", y, reduce) : y);
  }
  const bool both = std::string(split_input) == "x" && split == 1;
  if (both || std::string(split_input) == "x") c.shard("x", split);
  if (both || std::string(split_input) == "w") c.shard("w", split);
  if (std::string(split_input) == "x" && !both) c.replicate("w");
  if (std::string(split_input) == "w") c.replicate("x");
  return c.build();
}

TEST(Composition, ConvolutionsSplitOverBatchAndChannels) {
  EXPECT_TRUE(proves(convolution_of_shards("x", 0, nullptr)));
  EXPECT_TRUE(proves(convolution_of_shards("w", 0, nullptr)));
  EXPECT_TRUE(proves(convolution_of_shards("x", 1, "sum")));
}

TEST(Composition, InputChannelsAreSummedAndSamplesAreNot) {
  EXPECT_FALSE(proves(convolution_of_shards("x", 1, "max")));
  EXPECT_FALSE(proves(convolution_of_shards("x", 0, "sum")));
}

/// Attention of [1, 4, 6, 8], the dimension `split` of query, key and value on the ranks.
Case attention_of_shards(int split) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int ranks) {
    Shape shape{1, 4, 6, 8};
    shape[static_cast<size_t>(split)] /= ranks;
    const TensorRef q = g.input("q", shape), k = g.input("k", shape), v = g.input("v", shape);
    return g.call("y", "aten.scaled_dot_product_attention.default", {q, k, v, NoArg{}, 0.0, true},
                  shape);
  };
  c.sequential().output(program(c.sequential(), 1));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), 2));
  for (const char* input : {"q", "k", "v"}) c.shard(input, split);
  return c.build();
}

TEST(Composition, AttentionSplitsOverHeadsAndNotOverTokens) {
  EXPECT_TRUE(proves(attention_of_shards(1)));
  EXPECT_FALSE(proves(attention_of_shards(2)));
}

/// The two greatest of each row of x [4, 6].
Case greatest_of_shards(int split) {
  CaseBuilder c(2);
  const auto program = [&](GraphBuilder& g, int ranks) {
    Shape shape{4, 6};
    shape[static_cast<size_t>(split)] /= ranks;
    const Shape result{shape[0], 2};
    return g.call_many("y", "aten.topk.default", {g.input("x", shape), 2},
                       {{result}, {result, DType::kInt64}});
  };
  for (const TensorRef y : program(c.sequential(), 1)) c.sequential().output(y);
  for (int r = 0; r < 2; ++r)
    for (const TensorRef y : program(c.rank(r), 2)) c.rank(r).output(y);
  c.shard("x", split);
  return c.build();
}

TEST(Composition, TheGreatestOfARowAreThoseOfAllOfIt) {
  EXPECT_TRUE(proves(greatest_of_shards(0)));
  EXPECT_FALSE(proves(greatest_of_shards(1)));
}

}  // namespace
}  // namespace assay::test
