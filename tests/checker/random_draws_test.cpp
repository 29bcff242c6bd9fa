// The checker on random draws: it takes for granted that programs draw alike, and nothing more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "static_check/check.h"
#include "tests/checker/expect_rejected.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

/// y and z = two dropout masks of x; n = normal noise.
void program(GraphBuilder& g, const Shape& shape) {
  const TensorRef x = g.input("x", shape);
  for (const char* name : {"y", "z"})
    g.output(g.call_many(name, "aten.native_dropout.default", {x, 0.25, true},
                         {{shape}, {shape, DType::kBool}})[1]);
  g.output(g.call("n", "aten.randn.default", {{4, 6}}, {4, 6}));
}

Replay two_masks() {
  CaseBuilder c(2);
  program(c.sequential(), {4, 6});
  for (int r = 0; r < 2; ++r) program(c.rank(r), {2, 6});
  c.shard("x", 0);
  const Case refinement = c.build();
  const OperatorTable operators = OperatorTable::builtin();
  return replay_of(refinement, static_check(refinement, operators).certificate, operators);
}

/// The core operators of rank 1 that draw.
std::vector<size_t> draws(const Replay& replay) {
  std::vector<size_t> result;
  for (size_t i = 0; i < replay.ranks[1].ops.size(); ++i)
    if (replay.ranks[1].ops[i].prim == Prim::kRandom) result.push_back(i);
  return result;
}

Value& claim_of(Replay& replay, size_t draw) {
  return replay.certificate.ranks[1][draws(replay).at(draw)];
}

TEST(RandomDraws, OfTheSameElementsInTheSameOrderAreAccepted) {
  const Replay replay = two_masks();
  const CheckResult result = replay.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST(RandomDraws, AreNotAcceptedWhereTheCaseTakesThemAsIndependent) {
  Replay replay = two_masks();
  replay.refinement.random_agrees = false;
  expect_rejected(replay, "a random value that is not taken to agree with another");
}

TEST(RandomDraws, OfOtherElementsAreRejected) {
  Replay replay = two_masks();
  claim_of(replay, 0) = replay.certificate.ranks[0][draws(replay)[0]];
  expect_rejected(replay, "rank 1, core operator");
}

TEST(RandomDraws, OneSampleTwiceIsRejected) {
  Replay replay = two_masks();
  claim_of(replay, 1) = claim_of(replay, 0);
  expect_rejected(replay, "one sample drawn twice");
}

TEST(RandomDraws, InAnotherOrderAreRejected) {
  Replay replay = two_masks();
  std::swap(claim_of(replay, 0), claim_of(replay, 1));
  expect_rejected(replay, "a later draw without an earlier one");
}

TEST(RandomDraws, OfAnotherDistributionAreRejected) {
  Replay replay = two_masks();
  replay.ranks[1].ops[draws(replay)[0]].fn = "dropout_mask(0.5)";
  expect_rejected(replay, "a sample of dropout_mask(0.25)#0");
}

TEST(RandomDraws, OfAnotherDtypeAreRejected) {
  Replay replay = two_masks();
  replay.ranks[1].ops[draws(replay)[2]].dtype = DType::kFloat16;
  expect_rejected(replay, "a random value of another call");
}

TEST(RandomDraws, OfAnotherCallAreRejected) {
  Replay replay = two_masks();
  replay.ranks[1].ops[draws(replay)[2]].occurrence = 1;
  expect_rejected(replay, "a random value of another call");
}

TEST(RandomDraws, ForRepeatedElementsAreRejected) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef rows =
        g->call("rows", "aten.expand.default", {g->input("x", {1, 6}), {4, 6}}, {4, 6});
    g->output(g->call_many("y", "aten.native_dropout.default", {rows, 0.25, true},
                           {{{4, 6}}, {{4, 6}, DType::kBool}})[1]);
  }
  c.replicate("x");
  const Case refinement = c.build();
  const OperatorTable operators = OperatorTable::builtin();
  Replay replay = replay_of(refinement, static_check(refinement, operators).certificate, operators);
  // One sample a column, whatever the row.
  Universe& universe = replay.certificate.universe;
  const Term& x = replay.certificate.sequential[0].tiles[0].terms[0];
  Instance instance;
  instance.kind = Instance::Kind::kDraw;
  instance.fn = "dropout_mask(0.25)#0";
  instance.operands = {{x.atom, 0}};
  InstanceLabel label;
  label.size = 6;
  label.strides = {1};
  label.out_stride = 1;
  instance.labels = {label};
  instance.output = static_cast<AtomId>(universe.atoms.size());
  Atom sample;
  sample.kind = Atom::Kind::kInstance;
  sample.size = 6;
  sample.dtype = DType::kBool;
  sample.instance = static_cast<int32_t>(universe.instances.size());
  universe.atoms.push_back(sample);
  universe.instances.push_back(instance);
  for (size_t i = 0; i < replay.sequential.ops.size(); ++i) {
    if (replay.sequential.ops[i].prim != Prim::kRandom) continue;
    Term& claimed = replay.certificate.sequential[i].tiles[0].terms[0];
    claimed.atom = instance.output;
    claimed.layout = {0, {{{4, 0}}, {{6, 1}}}};
  }
  expect_rejected(replay, "one sample for several elements");
}

}  // namespace
}  // namespace assay::test
