// The loss of a vocabulary that is split over ranks, as frameworks compute it: the largest logit is
// subtracted before the target is picked, and no rank holds the logarithm of a softmax. It is
// derived at any size, without evaluation.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kLossClasses = 64, kLossRows = 40, kLossShard = kLossClasses / 2;

enum class LocalIds { kFilled, kClamped };
enum class LossFault { kNone, kOffset, kBound, kNoMask, kOwnMaximum, kOwnSum };

struct LossProgram {
  LocalIds local = LocalIds::kFilled;
  LossFault fault = LossFault::kNone;
};

struct LossTarget {
  TensorRef local;  // in the rank's shard
  TensorRef other;  // whether it is another rank's
};

LossTarget loss_target_of(GraphBuilder& g, TensorRef ids, int rank, const LossProgram& program) {
  const Shape shape = {kLossRows};
  const int first = rank * kLossShard, last = first + kLossShard;
  const TensorRef below =
      g.call("below", "aten.lt.Scalar", {ids, first + (program.fault == LossFault::kBound ? 1 : 0)},
             shape, DType::kBool);
  const TensorRef above = g.call("above", "aten.ge.Scalar", {ids, last}, shape, DType::kBool);
  const TensorRef other =
      g.call("other", "aten.bitwise_or.Tensor", {below, above}, shape, DType::kBool);
  const int offset = first + (program.fault == LossFault::kOffset && rank == 1 ? -1 : 0);
  const TensorRef shifted =
      g.call("shifted", "aten.sub.Tensor", {ids, offset}, shape, DType::kInt64);
  if (program.local == LocalIds::kClamped)
    return {
        g.call("local", "aten.clamp.default", {shifted, 0, kLossShard - 1}, shape, DType::kInt64),
        other};
  return {g.call("local", "aten.masked_fill.Scalar", {shifted, other, 0}, shape, DType::kInt64),
          other};
}

TensorRef loss_picked_at(GraphBuilder& g, TensorRef x, TensorRef ids) {
  const TensorRef column =
      g.call("column", "aten.unsqueeze.default", {ids, 1}, {kLossRows, 1}, DType::kInt64);
  const TensorRef row = g.call("row", "aten.gather.default", {x, 1, column}, {kLossRows, 1});
  return g.call("picked", "aten.squeeze.dim", {row, 1}, {kLossRows});
}

Case vocabulary_loss(const LossProgram& program) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  const Shape rows = {kLossRows}, whole = {kLossRows, kLossClasses}, part = {kLossRows, kLossShard};
  const TensorRef logits = s.input("logits", whole);
  const TensorRef ids = s.input("target", rows, DType::kInt64);
  const TensorRef log_softmax =
      s.call("ls", "aten._log_softmax.default", {logits, 1, false}, whole);
  s.output(s.call("y", "aten.neg.default", {loss_picked_at(s, log_softmax, ids)}, rows));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef shard = g.input("logits", part);
    const TensorRef own_ids = g.input("target", rows, DType::kInt64);
    const TensorRef own =
        g.call("own", "aten.amax.default", {shard, std::vector<Argument>{1}}, rows);
    const TensorRef greatest =
        program.fault == LossFault::kOwnMaximum ? own : all_reduce(g, "greatest", own, "max");
    const TensorRef by = g.call("by", "aten.unsqueeze.default", {greatest, 1}, {kLossRows, 1});
    const TensorRef shifted = g.call("less", "aten.sub.Tensor", {shard, by}, part);
    const TensorRef exponentials = g.call("exp", "aten.exp.default", {shifted}, part);
    const TensorRef added =
        g.call("added", "aten.sum.dim_IntList", {exponentials, std::vector<Argument>{1}}, rows);
    const TensorRef sum = program.fault == LossFault::kOwnSum ? added : all_reduce(g, "sum", added);
    const LossTarget target = loss_target_of(g, own_ids, r, program);
    TensorRef picked = loss_picked_at(g, shifted, target.local);
    if (program.fault != LossFault::kNoMask)
      picked = g.call("kept", "aten.masked_fill.Scalar", {picked, target.other, 0.0}, rows);
    const TensorRef log = g.call("log", "aten.log.default", {sum}, rows);
    g.output(g.call("y", "aten.sub.Tensor", {log, all_reduce(g, "target_logit", picked)}, rows));
  }
  c.shard("logits", 1);
  c.replicate("target");
  c.expect("y", {"y@0", "y@1"});
  Case built = c.build();
  built.exact = true;
  return built;
}

TEST(VocabularyLoss, IsDerivedWithLocalIdsFilledOrClamped) {
  EXPECT_TRUE(proves(vocabulary_loss({LocalIds::kFilled})));
  EXPECT_TRUE(proves(vocabulary_loss({LocalIds::kClamped})));
}

TEST(VocabularyLoss, IsNotWhatFaultyRanksCompute) {
  for (const LocalIds local : {LocalIds::kFilled, LocalIds::kClamped})
    for (const LossFault fault : {LossFault::kOffset, LossFault::kBound, LossFault::kNoMask,
                                  LossFault::kOwnMaximum, LossFault::kOwnSum})
      EXPECT_FALSE(proves(vocabulary_loss({local, fault}))) << static_cast<int>(fault);
}

/// The logits of a loss with a margin: what each row's norm rescales, less the margin at the
/// target.
Case margin_loss(double of_rank) {
  CaseBuilder c(1);
  const Shape whole = {kLossRows, kLossClasses};
  const auto program = [&](GraphBuilder& g, double margin) {
    const TensorRef ids = g.input("target", {kLossRows}, DType::kInt64);
    const TensorRef norm = g.input("norm", {kLossRows, 1});
    const TensorRef inverse = g.call("inverse", "aten.reciprocal.default", {norm}, {kLossRows, 1});
    const TensorRef scale =
        g.call("scale", "aten.expand.default",
               {inverse, std::vector<Argument>{kLossRows, kLossClasses}}, whole);
    const TensorRef scaled =
        g.call("scaled", "aten.mul.Tensor", {g.input("logits", whole), scale}, whole);
    const TensorRef hot =
        g.call("hot", "aten.one_hot.default", {ids, kLossClasses}, whole, DType::kInt64);
    const TensorRef is_target = g.call("is", "aten.ne.Scalar", {hot, 0}, whole, DType::kBool);
    const TensorRef off = g.call("off", "aten.mul.Tensor", {is_target, margin}, whole);
    const TensorRef less = g.call("less", "aten.sub.Tensor", {scaled, off}, whole);
    const TensorRef ls = g.call("ls", "aten._log_softmax.default", {less, 1, false}, whole);
    g.output(g.call("y", "aten.neg.default", {loss_picked_at(g, ls, ids)}, {kLossRows}));
  };
  program(c.sequential(), 0.25);
  program(c.rank(0), of_rank);
  for (const char* name : {"target", "norm", "logits"}) c.replicate(name);
  return c.build();
}

TEST(VocabularyLoss, HasAMargin) {
  EXPECT_TRUE(proves(margin_loss(0.25)));
  EXPECT_FALSE(proves(margin_loss(0.5)));
}

/// Two parts of one array are indices of tables of different sizes; what a rank adds up over the
/// classes of the second is 1 only where it is taken over that table.
Case parts_of_ids(int summed) {
  CaseBuilder c(1);
  const auto program = [&](GraphBuilder& g, bool is_rank) {
    const TensorRef ids = g.input("ids", {4}, DType::kInt64);
    const TensorRef first =
        g.call("first", "aten.slice.Tensor", {ids, 0, 0, 2, 1}, {2}, DType::kInt64);
    const TensorRef second =
        g.call("second", "aten.slice.Tensor", {ids, 0, 2, 4, 1}, {2}, DType::kInt64);
    g.output(g.call("small", "aten.embedding.default", {g.input("s", {3, 2}), first}, {2, 2}));
    g.output(g.call("large", "aten.embedding.default", {g.input("l", {8, 2}), second}, {2, 2}));
    if (!is_rank)
      return g.output(g.call("y", "aten.ones.default", {std::vector<Argument>{2}}, {2}));
    const TensorRef hot = g.call("hot", "aten.one_hot.default", {second, 8}, {2, 8}, DType::kInt64);
    const TensorRef some =
        g.call("some", "aten.slice.Tensor", {hot, 1, 0, summed, 1}, {2, summed}, DType::kInt64);
    const TensorRef number = g.call("number", "aten.mul.Tensor", {some, 1.0}, {2, summed});
    g.output(g.call("y", "aten.sum.dim_IntList", {number, std::vector<Argument>{1}}, {2}));
  };
  program(c.sequential(), false);
  program(c.rank(0), true);
  for (const char* name : {"ids", "s", "l"}) c.replicate(name);
  Case built = c.build();
  built.exact = true;
  return built;
}

TEST(VocabularyLoss, AnIndexIsKnownByTheTableThatItReads) {
  EXPECT_TRUE(proves(parts_of_ids(8)));
  EXPECT_FALSE(proves(parts_of_ids(3)));
}

}  // namespace
}  // namespace assay::test
