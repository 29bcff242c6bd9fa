// Certificates that look right and are not: each of them once was, or could be, a way to prove what
// is false.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/expect_rejected.h"
#include "tests/checker/hand_cases.h"
#include "tests/checker/hand_proof.h"

namespace assay::test {
namespace {

Term& only_term(Replay& replay, size_t rank, size_t op) {
  return replay.certificate.ranks[rank][op].tiles[0].terms[0];
}

TEST(RejectedCertificate, OutputThatIsStillAPartOfASum) {
  Replay replay = row_parallel();
  replay.certificate.relations[0].replicas = {parse("partial@0")};
  expect_rejected(replay, "relation of y = partial@0");
}

TEST(RejectedCertificate, OutputWithoutRelation) {
  Replay replay = row_parallel();
  replay.certificate.relations.clear();
  expect_rejected(replay, "output y has no relation");
}

TEST(RejectedCertificate, OutputFromATensorThatIsNoOutput) {
  Replay replay = row_parallel();
  replay.refinement.ranks[0].outputs.pop_back();
  expect_rejected(replay, "y@0 is no output of its rank");
}

TEST(RejectedCertificate, ExpectationThatDoesNotHold) {
  Replay replay = row_parallel();
  replay.refinement.expect = {
      {parse("y@0"), {parse("y@1")}, {}}};  // sequential leaves are at rank 0
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  replay.refinement.expect[0].replicas = {parse("partial@1")};
  expect_rejected(replay, "expectation of y");
}

// What is said to be tested by evaluation is evaluated again.
TEST(RejectedCertificate, EquationThatWasEvaluatedAndDoesNotHold) {
  Replay replay = row_parallel();
  CleanExpr y;
  y.name = "y";
  replay.certificate.evaluated = {{y, parse("y@0")}};
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  replay.certificate.relations[0].replicas = {parse("partial@0")};
  replay.certificate.evaluated = {{y, parse("partial@0")}};
  const CheckResult result = replay.check();
  EXPECT_FALSE(result.accepted);
  EXPECT_THAT(result.reason, testing::HasSubstr("by evaluation"));
}

// So is what stands for a tensor within the programs.
TEST(RejectedCertificate, TensorThatIsTakenForAnother) {
  using Use = Certificate::Evaluated::Use;
  CleanExpr y;
  y.name = "y";
  for (const Use use : {Use::kTaken, Use::kTakenAsAnyNumbers}) {
    Replay replay = row_parallel();
    const Certificate::Evaluated claim{y, parse("y@0")};
    replay.certificate.evaluated = {{y, parse("y@0"), use}, {y, parse("y@1"), use}, claim};
    EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
    replay.certificate.evaluated = {{y, parse("partial@1"), use}, claim};
    expect_rejected(replay, "y, by evaluation: partial@1");
    replay.certificate.evaluated = {{y, parse("sum(partial@0, partial@1)"), use}, claim};
    expect_rejected(replay, "is not of ranks' tensors");
    // A claim is not taken, whatever comes after it.
    replay.certificate.relations[0].replicas = {parse("partial@0")};
    replay.certificate.evaluated = {{y, parse("y@0"), use}, {y, parse("partial@0")}};
    expect_rejected(replay, "partial@0");
  }
}

// Rank 0 reduces no rows of its partial product, and claims zeros.
Replay reduction_of_nothing(Prim reduction) {
  Replay replay = row_parallel();
  HandProgram program(replay.refinement.ranks[0], replay.ranks[0], replay.certificate.ranks[0]);
  const CoreId partial = 7;
  const CoreId nothing = program.op(Prim::kSlice, {partial}, claim({0, 8}, {}), {0, 0, 1});
  program.op(reduction, {nothing}, claim({8}, {}), {0});
  return replay;
}

TEST(RejectedCertificate, ExtremumOfNoElements) {
  EXPECT_TRUE(reduction_of_nothing(Prim::kReduceSum).check().accepted);
  expect_rejected(reduction_of_nothing(Prim::kReduceMax), "a tensor without elements");
}

TEST(RejectedCertificate, SumOverRanksThatMeetInAnotherOrder) {
  Replay replay = row_parallel();
  for (size_t rank = 0; rank < 2; ++rank) {
    HandProgram program(replay.refinement.ranks[rank], replay.ranks[rank],
                        replay.certificate.ranks[rank]);
    const CoreId partial = 7;
    ASSERT_EQ(replay.ranks[rank].ops[7].prim, Prim::kReduceSum);
    program.output("alone", program.all_reduce(partial, {static_cast<Rank>(rank)},
                                               replay.certificate.ranks[rank][7]));
  }
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  // Rank 0 waits for rank 1 in a group that rank 1 never enters.
  replay.ranks[0].collectives[1].ranks = {0, 1};
  expect_rejected(replay, "wait for each other for ever");
}

TEST(RejectedCertificate, IndexThatMayLeaveItsTable) {
  // The sequential program looks ids up in 8 rows; a rank does so in 8, or in 4 without a mask.
  for (const int64_t rows : {8, 4}) {
    Replay replay = vocab_parallel();
    HandProgram program(replay.refinement.ranks[1], replay.ranks[1], replay.certificate.ranks[1]);
    CoreOp one_hot;
    one_hot.prim = Prim::kOneHot;
    one_hot.operands = {replay.ranks[1].value_of[0]};
    program.op(one_hot, claim({5, rows}, {view(3, {5, rows}, {1, 5})}));
    if (rows == 8) {
      EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
    } else {
      expect_rejected(replay, "an index outside of its table");
    }
  }
}

TEST(RejectedCertificate, PartialInputThatOneRankHoldsAlone) {
  // x = sum(x@0, x@1) does not say that x@0 is x and x@1 is zero.
  Replay replay = row_softmax();
  for (size_t rank = 0; rank < 2; ++rank) {
    replay.refinement.ranks[rank] = replay.refinement.sequential;
    replay.ranks[rank] = replay.sequential;
    replay.certificate.ranks[rank] = replay.certificate.sequential;
  }
  replay.refinement.inputs[0].replicas = {parse("sum(x@0, x@1)")};
  replay.certificate.relations[0].replicas = {parse("y@0")};
  replay.certificate.ranks[1][0].tiles[0].terms.clear();
  HandProgram(replay.refinement.ranks[1], replay.ranks[1], replay.certificate.ranks[1]);
  expect_rejected(replay, "a summand is no part of it");
}

TEST(RejectedCertificate, InputThatNoRelationDetermines) {
  Replay replay = row_softmax();
  replay.refinement.inputs.clear();
  expect_rejected(replay, "the input relations do not determine");
}

TEST(RejectedCertificate, UninitialisedMemoryThatIsTheSameOnTwoRanks) {
  Replay replay = row_softmax();
  Atom unknown;
  unknown.kind = Atom::Kind::kUninit;
  unknown.size = 3;
  for (size_t rank = 0; rank < 2; ++rank) {
    replay.certificate.universe.atoms.push_back(unknown);
    const auto atom = static_cast<AtomId>(replay.certificate.universe.atoms.size()) - 1;
    HandProgram(replay.refinement.ranks[rank], replay.ranks[rank], replay.certificate.ranks[rank])
        .op(Prim::kUninit, {}, claim({3}, {view(atom, {3}, {1})}));
  }
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  only_term(replay, 1, 2).atom = only_term(replay, 0, 2).atom;
  expect_rejected(replay, "an unknown of its own");
}

TEST(RejectedCertificate, BlockThatReadsItsWholeDimensionInAnotherOrder) {
  // The softmax of a permuted row is not the softmax of the row, although it reads the same
  // elements.
  Replay replay = row_softmax();
  Instance& softmax = replay.certificate.universe.instances[0];
  softmax.labels = {{InstanceLabel::Tag::kParallel, 4, {6}, 6, kNone, kNone},
                    {InstanceLabel::Tag::kWhole, 2, {3}, 3, kNone, 0},
                    {InstanceLabel::Tag::kWhole, 3, {1}, 1, kNone, 0}};
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  softmax.labels[1].strides = {1};
  softmax.labels[2].strides = {2};
  expect_rejected(replay, "claimed");
}

TEST(RejectedCertificate, BlockWhoseOutputIsReadInAnotherOrder) {
  Replay replay = row_softmax();
  const auto permute = [](Value& value) {
    value.tiles[0].terms[0].layout.dims[1] = {{2, 1}, {3, 2}};
  };
  permute(replay.certificate.sequential[1]);
  for (std::vector<Value>& claims : replay.certificate.ranks) permute(claims[1]);
  expect_rejected(replay, "the output's block is read in another order");
}

TEST(RejectedCertificate, BlockOfAnotherSize) {
  Replay replay = row_softmax();
  Instance& softmax = replay.certificate.universe.instances[0];
  softmax.labels = {{InstanceLabel::Tag::kParallel, 8, {3}, 3, kNone, kNone},
                    {InstanceLabel::Tag::kWhole, 3, {1}, 1, kNone, 0}};
  expect_rejected(replay, "blocks of another size");
}

TEST(RejectedCertificate, PartOfANonlinearFunction) {
  Replay replay = row_parallel();
  Universe& universe = replay.certificate.universe;
  Instance gelu;
  gelu.kind = Instance::Kind::kMap;
  gelu.fn = "gelu";
  gelu.operands = {{3, 0}};
  gelu.labels = {{InstanceLabel::Tag::kParallel, 32, {1}, 1, kNone, kNone}};
  gelu.output = 4;
  Atom atom;
  atom.kind = Atom::Kind::kInstance;
  atom.size = 32;
  atom.hidden = {0};
  atom.instance = 2;
  universe.instances.push_back(gelu);
  universe.atoms.push_back(atom);
  for (size_t rank = 0; rank < 2; ++rank) {
    HandProgram program(replay.refinement.ranks[rank], replay.ranks[rank],
                        replay.certificate.ranks[rank]);
    CoreOp op;
    op.prim = Prim::kMap;
    op.fn = "gelu";
    op.operands = {8};
    program.op(op, claim({4, 8}, {view(4, {4, 8}, {8, 1})}));
  }
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  Replay partial = replay;
  partial.ranks[0].ops[9].operands = {7};
  Term& term = only_term(partial, 0, 9);
  term = part(term, 0, 6, {0, 3});
  expect_rejected(partial, "does not hide exactly once");
  // Saying that gelu is linear does not make it so.
  partial.certificate.universe.instances[2].linear = 1;
  expect_rejected(partial, "is not linear as it says");
}

TEST(RejectedCertificate, PartTimesASumOverTheSameLabel) {
  // (sum over k in the part) * (whole sum over k) is no part of the square.
  Replay replay = row_parallel();
  Universe& universe = replay.certificate.universe;
  Instance square;
  square.kind = Instance::Kind::kMul;
  square.operands = {{3, 0}, {3, 0}};
  square.labels = {{InstanceLabel::Tag::kParallel, 32, {1, 1}, 1, kNone, kNone}};
  square.output = 4;
  Atom atom;
  atom.kind = Atom::Kind::kInstance;
  atom.size = 32;
  atom.instance = 2;
  universe.instances.push_back(square);
  universe.atoms.push_back(atom);
  HandProgram program(replay.refinement.ranks[0], replay.ranks[0], replay.certificate.ranks[0]);
  program.op(Prim::kMul, {8, 8}, claim({4, 8}, {view(4, {4, 8}, {8, 1})}));
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  Replay partial = replay;
  partial.ranks[0].ops[9].operands = {7, 8};
  expect_rejected(partial, "a part of a sum times the same sum");
  Term& term = only_term(partial, 0, 9);
  term = part(term, 0, 6, {0, 3});
  expect_rejected(partial, "does not hide exactly once");
}

TEST(RejectedCertificate, PartOfASumThatDependsOnTheElement) {
  // Row sums of x are parts of the sum of all of x, each another one.
  Replay replay;
  Universe& universe = replay.certificate.universe;
  Atom x;
  x.size = 6;
  x.tensor = 0;
  Instance sum;
  sum.kind = Instance::Kind::kSum;
  sum.operands = {{0, 0}};
  sum.labels = {{InstanceLabel::Tag::kReduced, 6, {1}, 0, 0, kNone}};
  sum.output = 1;
  Atom total;
  total.kind = Atom::Kind::kInstance;
  total.instance = 0;
  universe.atoms = {x, total};
  universe.instances = {sum};
  universe.labels = {{6, false, 0}};
  HandProgram program(replay.refinement.sequential, replay.sequential,
                      replay.certificate.sequential);
  const CoreId in = program.input("x", DType::kFloat32, claim({2, 3}, {view(0, {2, 3}, {3, 1})}));
  program.op(Prim::kReduceSum, {in}, claim({}, {view(1, {}, {})}), {0, 1});
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  Value rows =
      claim({2}, {part(view(1, {1}, {0}), 0, 6, {0, 3}), part(view(1, {1}, {0}), 0, 6, {3, 6})});
  rows.cuts = {{0, 1, 2}};
  rows.tiles = {{{rows.tiles[0].terms[0]}, {}}, {{rows.tiles[0].terms[1]}, {}}};
  program.op(Prim::kReduceSum, {in}, rows, {1});
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  replay.certificate.sequential.back() = claim({2}, {part(view(1, {2}, {0}), 0, 6, {0, 3})});
  expect_rejected(replay, "no instance in the claim reduces");
}

// Rank 0 has an infinite constant, which is atom 2.
struct WithInfinity {
  Replay replay = row_softmax();
  CoreId infinity;

  WithInfinity() {
    Atom atom;
    atom.kind = Atom::Kind::kInfinity;
    replay.certificate.universe.atoms.push_back(atom);
    CoreOp constant;
    constant.prim = Prim::kConst;
    constant.fn = "inf";
    infinity = program().op(constant, claim({2}, {view(2, {2}, {0})}));
  }

  HandProgram program() {
    return {replay.refinement.ranks[0], replay.ranks[0], replay.certificate.ranks[0]};
  }
};

TEST(RejectedCertificate, InfinityTimesZero) {
  for (const bool infinite : {false, true}) {
    WithInfinity with;
    HandProgram program = with.program();
    CoreOp zero;
    zero.prim = Prim::kConst;
    const CoreId nothing = program.op(zero, claim({2}, {}));
    program.op(Prim::kMul, {nothing, infinite ? with.infinity : nothing}, claim({2}, {}));
    if (infinite)
      expect_rejected(with.replay, "an infinite constant times 0");
    else
      EXPECT_TRUE(with.replay.check().accepted) << with.replay.check().reason;
  }
}

TEST(RejectedCertificate, FunctionOfAnInfinityAsARealNumber) {
  WithInfinity with;
  Instance exponential;
  exponential.kind = Instance::Kind::kMap;
  exponential.fn = "exp";
  exponential.operands = {{2, 0}};
  instance_atom(with.replay.certificate.universe, exponential, 1);
  CoreOp exp;
  exp.prim = Prim::kMap;
  exp.fn = "exp";
  exp.operands = {with.infinity};
  with.program().op(exp, claim({2}, {view(3, {2}, {0})}));
  expect_rejected(with.replay, "a function of an infinite constant");
}

TEST(RejectedCertificate, InfinitiesThatCancel) {
  WithInfinity with;
  Replay& replay = with.replay;
  HandProgram program = with.program();
  const CoreId inf = with.infinity;
  CoreOp difference;
  difference.prim = Prim::kLinear;
  difference.operands = {inf, inf};
  difference.coefs = {1, 1};
  Term twice = view(2, {2}, {0});
  twice.coef = 2;
  program.op(difference, claim({2}, {twice}));
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  replay.ranks[0].ops.back().coefs = {1, -1};
  replay.certificate.ranks[0].back().tiles[0].terms.clear();
  expect_rejected(replay, "infinities of opposite sign");
}

TEST(RejectedCertificate, AddressOutsideOfItsAtom) {
  Replay replay = row_parallel();
  only_term(replay, 1, 0).layout.offset += 4;
  expect_rejected(replay, "an address outside of atom 0");
}

TEST(RejectedCertificate, InstanceThatReadsOutsideOfItsOperand) {
  Replay replay = row_parallel();
  replay.certificate.universe.instances[0].operands[1].offset = 1;
  expect_rejected(replay, "an operand's address outside of its atom");
}

TEST(RejectedCertificate, AtomThatIsMadeOfItself) {
  Replay replay = row_parallel();
  replay.certificate.universe.instances[0].operands[1].atom = 2;
  expect_rejected(replay, "an operand that is not made before it");
}

TEST(RejectedCertificate, EmbeddingWithAnOffsetThatIsOneOff) {
  Replay replay = vocab_parallel();
  // Rank 1 subtracts 3 where its table begins at row 4, and its own claims agree with it.
  for (CoreOp& op : replay.ranks[1].ops)
    if (op.prim == Prim::kConst && op.constant == Rational(4)) op.constant = 3;
  for (Value& value : replay.certificate.ranks[1])
    for (Term& term : value.tiles[0].terms)
      if (term.atom == 2 && term.coef == Rational(4)) term.coef = 3;
  expect_rejected(replay, "rank 1");
}

}  // namespace
}  // namespace assay::test
