// A loss over tokens some of which are ignored, each of which is a case of its own: they are too
// many to go through, and no cases are needed.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kAllTokens = 24, kTokenClasses = 5, kTokensOfARank = kAllTokens / 2;

/// The loss by its definition, of what a rank has: an ignored target reads the first class, and is
/// multiplied by 0.
TensorRef sum_of_losses(GraphBuilder& g, TensorRef logits, TensorRef targets, TensorRef counts) {
  const Shape shape = {kTokensOfARank}, column = {kTokensOfARank, 1};
  const TensorRef total =
      g.call("total", "aten.logsumexp.default", {logits, std::vector<Argument>{1}, true}, column);
  const TensorRef ignored =
      g.call("ignored", "aten.logical_not.default", {counts}, shape, DType::kBool);
  const TensorRef rows =
      g.call("rows", "aten.masked_fill.Scalar", {targets, ignored, 0}, shape, DType::kInt64);
  const TensorRef row = g.call("row", "aten.unsqueeze.default", {rows, 1}, column, DType::kInt64);
  const TensorRef picked = g.call("picked", "aten.gather.default", {logits, 1, row}, column);
  const TensorRef less = g.call("less", "aten.sub.Tensor", {total, picked}, column);
  const TensorRef each = g.call("each", "aten.squeeze.dim", {less, 1}, shape);
  const TensorRef kept = g.call("kept", "aten.mul.Tensor", {each, counts}, shape);
  return g.call("sum", "aten.sum.default", {kept}, Shape{});
}

/// The mean over the tokens of both ranks that count.
Case mean_of_losses(bool counts_reduced) {
  CaseBuilder c(2);
  const auto inputs = [](GraphBuilder& g, int tokens) {
    return std::pair(g.input("logits", {tokens, kTokenClasses}),
                     g.input("targets", {tokens}, DType::kInt64));
  };
  GraphBuilder& s = c.sequential();
  const auto [logits, targets] = inputs(s, kAllTokens);
  const TensorRef log_softmax =
      s.call("ls", "aten._log_softmax.default", {logits, 1, false}, {kAllTokens, kTokenClasses});
  const TensorRef loss =
      s.call_many("loss", "aten.nll_loss_forward.default", {log_softmax, targets, NoArg{}, 1, -100},
                  {{Shape{}}, {Shape{}}})[0];
  s.output(s.call("y", "aten.clone.default", {loss}, Shape{}));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const auto [own, own_targets] = inputs(g, kTokensOfARank);
    const TensorRef counts =
        g.call("counts", "aten.ne.Scalar", {own_targets, -100}, {kTokensOfARank}, DType::kBool);
    const TensorRef sum = sum_of_losses(g, own, own_targets, counts);
    const TensorRef here = g.call("here", "aten.sum.default", {counts}, Shape{}, DType::kInt64);
    const TensorRef count =
        counts_reduced ? all_reduce(g, "count", here, "sum", DType::kInt64) : here;
    const TensorRef share = g.call("share", "aten.div.Tensor", {sum, count}, Shape{});
    g.output(all_reduce(g, "y", share, counts_reduced ? "sum" : "avg"));
  }
  c.shard("logits", 0);
  c.shard("targets", 0);
  c.expect("y", {"y@0", "y@1"});
  return c.build();
}

TEST(IgnoredTokens, AreNoCases) {
  EXPECT_TRUE(proves(mean_of_losses(true)));
  EXPECT_FALSE(proves(mean_of_losses(false)));
}

/// The mean of what a mask keeps, over one at least: the count is an integer, or a number.
Formula masked_mean(bool of_integers, double least) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef mask) {
    const TensorRef kept = g.call("kept", "aten.mul.Tensor", {x, mask}, {kAllTokens});
    const TensorRef sum = g.call("sum", "aten.sum.default", {kept}, Shape{});
    if (of_integers) {
      const TensorRef count = g.call("count", "aten.sum.default", {mask}, Shape{}, DType::kInt64);
      const TensorRef limited =
          g.call("limited", "aten.clamp.default", {count, 1}, Shape{}, DType::kInt64);
      return g.call("mean", "aten.div.Tensor", {sum, limited}, Shape{});
    }
    const TensorRef ones =
        g.call("ones", "aten._to_copy.default", {mask, DType::kFloat32}, {kAllTokens});
    const TensorRef count = g.call("count", "aten.sum.default", {ones}, Shape{});
    const TensorRef limited = g.call("limited", "aten.clamp.default", {count, least}, Shape{});
    return g.call("mean", "aten.div.Tensor", {sum, limited}, Shape{});
  };
}

TEST(IgnoredTokens, ACountHasTheLimitsOfANumber) {
  const FormulaInput x{"x", {kAllTokens}}, mask{"mask", {kAllTokens}, DType::kBool};
  const Formula wanted = masked_mean(true, 1);
  EXPECT_TRUE(proves(formulas(wanted, masked_mean(false, 1), x, mask)));
  EXPECT_FALSE(proves(formulas(wanted, masked_mean(false, 2), x, mask)));
}

/// The same of two ranks, each with half of the elements, that add up their counts.
Case masked_mean_of_ranks(int least) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  const TensorRef x = s.input("x", {kAllTokens});
  const TensorRef mask = s.input("mask", {kAllTokens}, DType::kBool);
  s.output(s.call("y", "aten.clone.default", {masked_mean(true, 1)(s, x, mask)}, Shape{}));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef own = g.input("x", {kTokensOfARank});
    const TensorRef flags = g.input("mask", {kTokensOfARank}, DType::kBool);
    const TensorRef kept = g.call("kept", "aten.mul.Tensor", {own, flags}, {kTokensOfARank});
    const TensorRef sum = g.call("sum", "aten.sum.default", {kept}, Shape{});
    const TensorRef here = g.call("here", "aten.sum.default", {flags}, Shape{}, DType::kInt64);
    const TensorRef count = all_reduce(g, "count", here, "sum", DType::kInt64);
    const TensorRef limited =
        g.call("limited", "aten.clamp.default", {count, least}, Shape{}, DType::kInt64);
    const TensorRef share = g.call("share", "aten.div.Tensor", {sum, limited}, Shape{});
    g.output(all_reduce(g, "y", share));
  }
  c.shard("x", 0);
  c.shard("mask", 0);
  c.expect("y", {"y@0", "y@1"});
  return c.build();
}

TEST(IgnoredTokens, ACountOfAllRanksHasThemToo) {
  EXPECT_TRUE(proves(masked_mean_of_ranks(1)));
  EXPECT_FALSE(proves(masked_mean_of_ranks(2)));
}

/// Rows of a table by the remainder of an index, of which a half has those with an even one.
TEST(IgnoredTokens, ARemainderIsARow) {
  const auto looked_up = [](int halves, int offset) {
    return [=](GraphBuilder& g, TensorRef table, TensorRef ids) {
      const auto integers = [&](const std::string& name, const char* op,
                                std::vector<Argument> arguments) {
        return g.call(name, op, std::move(arguments), {kAllTokens}, DType::kInt64);
      };
      const TensorRef row = integers("row", "aten.remainder.Scalar", {ids, 4});
      if (halves == 1)
        return g.call("y", "aten.index.Tensor", {table, std::vector<Argument>{row}}, {kAllTokens});
      const TensorRef place = integers("place", "aten.div.Tensor_mode", {row, halves});
      g.keyword("rounding_mode", "floor");
      const TensorRef side = integers("side", "aten.remainder.Scalar", {row, halves});
      const TensorRef pairs = g.call("pairs", "aten.view.default",
                                     {table, std::vector<Argument>{4 / halves, halves}}, {2, 2});
      const TensorRef turned = integers("turned", "aten.add.Tensor", {side, offset});
      const TensorRef other = integers("other", "aten.remainder.Scalar", {turned, halves});
      return g.call("y", "aten.index.Tensor", {pairs, std::vector<Argument>{place, other}},
                    {kAllTokens});
    };
  };
  const FormulaInput table{"table", {4}}, ids{"ids", {kAllTokens}, DType::kInt64};
  EXPECT_TRUE(proves(formulas(looked_up(1, 0), looked_up(2, 0), table, ids)));
  EXPECT_FALSE(proves(formulas(looked_up(1, 0), looked_up(2, 1), table, ids)));
}

}  // namespace
}  // namespace assay::test
