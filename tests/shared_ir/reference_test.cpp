#include <gmock/gmock.h>

#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two or more ranks of one input each, which meet in one collective.
std::vector<CoreProgram> joint(int ranks, const std::function<Collective(Rank)>& collective,
                               const Shape& result) {
  std::vector<CoreProgram> programs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    CoreProgram& program = programs.emplace_back();
    program.ops.resize(2);
    program.ops[0].shape = {2};
    program.ops[1].prim = Prim::kCollective;
    program.ops[1].operands = {0};
    program.ops[1].shape = result;
    program.ops[1].collective = 0;
    program.collectives.push_back(collective(rank));
  }
  return programs;
}

Collective among(std::vector<Rank> ranks, Collective::Kind kind) {
  Collective what;
  what.kind = kind;
  what.group = "g";
  what.ranks = std::move(ranks);
  return what;
}

// Rank r holds {10 r + 1, 10 r + 2}.
std::vector<std::vector<ReferenceTensor>> run(const std::vector<CoreProgram>& programs) {
  ReferenceSources sources;
  sources.input = [](Rank rank, const CoreOp&) {
    return ReferenceTensor{{2}, {10.0 * rank + 1, 10.0 * rank + 2}};
  };
  return evaluate(programs, sources);
}

TEST(Reference, AllReduceCombinesAllMembers) {
  auto what = among({0, 1}, Collective::Kind::kAllReduce);
  for (auto [reduce, first] : {std::pair{Collective::Reduce::kSum, 12.0},
                               {Collective::Reduce::kAvg, 6.0},
                               {Collective::Reduce::kMax, 11.0},
                               {Collective::Reduce::kMin, 1.0},
                               {Collective::Reduce::kProduct, 11.0}}) {
    what.reduce = reduce;
    auto values = run(joint(2, [&](Rank) { return what; }, {2}));
    EXPECT_EQ(values[0][1].values[0], first);
    EXPECT_EQ(values[0][1], values[1][1]);
  }
}

TEST(Reference, CollectivesFollowTheGroupsOrder) {
  auto gather =
      run(joint(2, [](Rank) { return among({1, 0}, Collective::Kind::kAllGather); }, {4}));
  EXPECT_THAT(gather[0][1].values, ElementsAre(11, 12, 1, 2));
  auto scatter =
      run(joint(2, [](Rank) { return among({1, 0}, Collective::Kind::kReduceScatter); }, {1}));
  EXPECT_THAT(scatter[0][1].values, ElementsAre(14));
  EXPECT_THAT(scatter[1][1].values, ElementsAre(12));
  auto broadcast = run(joint(2,
                             [](Rank) {
                               Collective what = among({0, 1}, Collective::Kind::kBroadcast);
                               what.source = 1;
                               return what;
                             },
                             {2}));
  EXPECT_THAT(broadcast[0][1].values, ElementsAre(11, 12));
}

TEST(Reference, AllToAllSendsUnevenRows) {
  auto programs = joint(
      2,
      [](Rank rank) {
        Collective what = among({0, 1}, Collective::Kind::kAllToAll);
        what.send_splits = rank == 0 ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{1, 1};
        what.receive_splits = rank == 0 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 1};
        return what;
      },
      {1});
  programs[1].ops[1].shape = {3};
  auto values = run(programs);
  EXPECT_THAT(values[0][1].values, ElementsAre(11));
  EXPECT_THAT(values[1][1].values, ElementsAre(1, 2, 12));
}

std::string error_of(const std::vector<CoreProgram>& programs) {
  try {
    run(programs);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Reference, NamesCollectivesThatDoNotMatch) {
  auto kinds = joint(
      2,
      [](Rank rank) {
        return among({0, 1}, rank ? Collective::Kind::kAllReduce : Collective::Kind::kBroadcast);
      },
      {2});
  EXPECT_THAT(error_of(kinds), HasSubstr("calls another collective"));
  auto shapes = joint(2, [](Rank) { return among({0, 1}, Collective::Kind::kAllReduce); }, {2});
  shapes[1].ops[0].shape = {1, 2};
  EXPECT_THROW(run(shapes), InternalError);  // the source must give the operator's shape
  auto order = joint(2,
                     [](Rank rank) {
                       return rank ? among({1, 0}, Collective::Kind::kAllGather)
                                   : among({0, 1}, Collective::Kind::kAllGather);
                     },
                     {4});
  EXPECT_THAT(error_of(order), HasSubstr("in another order"));
}

Collective message(Rank source, Rank destination, Rank own, int64_t tag = 0) {
  Collective what =
      among({0, 1}, own == source ? Collective::Kind::kSend : Collective::Kind::kReceive);
  what.source = source;
  what.destination = destination;
  what.tag = tag;
  return what;
}

TEST(Reference, AMessageGivesTheReceiverWhatTheSenderHas) {
  const auto values = run(joint(2, [](Rank rank) { return message(1, 0, rank); }, {2}));
  EXPECT_EQ(values[0][1].values, (std::vector<double>{11, 12}));
  EXPECT_EQ(values[1][1].values, (std::vector<double>{11, 12}));
}

TEST(Reference, NamesMessagesThatDoNotFit) {
  EXPECT_THAT(error_of(joint(2, [](Rank rank) { return message(0, 1, rank, rank); }, {2})),
              HasSubstr("rank 1 receives another message of rank 0"));
  auto unsent = joint(2, [](Rank rank) { return message(0, 1, rank); }, {2});
  unsent[0].ops.resize(1);
  EXPECT_THAT(error_of(unsent), HasSubstr("for what rank 0 never sends"));
}

TEST(Reference, AScatterGivesMemberIRowI) {
  auto what = among({1, 0}, Collective::Kind::kScatter);
  what.source = 1;
  const auto values = run(joint(2, [&](Rank) { return what; }, {1}));
  EXPECT_EQ(values[0][1].values, std::vector<double>{12});
  EXPECT_EQ(values[1][1].values, std::vector<double>{11});
}

TEST(Reference, NamesRanksThatWaitForEver) {
  auto programs = joint(2, [](Rank) { return among({0, 1}, Collective::Kind::kAllReduce); }, {2});
  programs[1].ops.resize(1);
  EXPECT_THAT(
      error_of(programs),
      HasSubstr("rank 0 waits in a collective of group 'g' for rank 1, which does not call it"));
  auto ring = joint(
      3, [](Rank rank) { return among({rank, (rank + 1) % 3}, Collective::Kind::kAllReduce); },
      {2});
  EXPECT_THAT(error_of(ring), HasSubstr("waits in group"));
}

// A sum in group g and a maximum in group h, which rank 1 begins in the other order.
std::vector<CoreProgram> crossing(CoreId awaited_before) {
  auto programs = joint(2, [](Rank) { return among({0, 1}, Collective::Kind::kAllReduce); }, {2});
  for (CoreProgram& program : programs) {
    Collective greatest = program.collectives[0];
    greatest.group = "h";
    greatest.reduce = Collective::Reduce::kMax;
    program.collectives.push_back(greatest);
    for (Collective& what : program.collectives) what.awaited_before = awaited_before;
    program.ops.push_back(program.ops[1]);
    program.ops[2].collective = 1;
  }
  std::swap(programs[1].ops[1], programs[1].ops[2]);
  return programs;
}

TEST(Reference, RanksMeetByGroupAndGoOnUntilTheyWait) {
  const auto values = run(crossing(3));
  EXPECT_EQ(values[0][1].values, (std::vector<double>{12, 14}));
  EXPECT_EQ(values[0][2].values, (std::vector<double>{11, 12}));
  EXPECT_EQ(values[1][2], values[0][1]);
  EXPECT_EQ(values[1][1], values[0][2]);
  EXPECT_THAT(error_of(crossing(kNone)), HasSubstr("waits in group 'h'"));
}

TEST(Reference, UnwrittenMemoryIsNan) {
  CoreProgram program;
  program.ops.resize(1);
  program.ops[0].prim = Prim::kUninit;
  program.ops[0].shape = {1};
  EXPECT_TRUE(std::isnan(run({program})[0][0].values[0]));
}

TEST(Reference, CleanExpressionsMeanWhatTheySay) {
  auto leaf = [](const std::string& name, Rank rank) {
    double base = name == "a" ? 0 : 100;
    return ReferenceTensor{{1, 2}, {base + 10.0 * rank + 1, base + 10.0 * rank + 2}};
  };
  auto value = [&](const std::string& text) { return evaluate(parse_clean_expr(text, {}), leaf); };
  EXPECT_THAT(value("concat(a@0, b@1; dim=0)").values, ElementsAre(1, 2, 111, 112));
  EXPECT_THAT(value("concat(a@0, b@1; dim=1)").values, ElementsAre(1, 2, 111, 112));
  EXPECT_THAT(value("slice(a@1; dim=1, start=1, end=2)").values, ElementsAre(12));
  EXPECT_THAT(value("sum(a@0, a@1, b@0)").values, ElementsAre(113, 116));
  EXPECT_EQ(value("permute(a@0; dims=[1, 0])"), (ReferenceTensor{{2, 1}, {1, 2}}));
  EXPECT_EQ(value("reshape(a@0; shape=[2])"), (ReferenceTensor{{2}, {1, 2}}));
  EXPECT_THAT(value("pad(a@0; dim=1, before=1, after=2)").values, ElementsAre(0, 1, 2, 0, 0));
  EXPECT_THAT(value("scale(a@0; by=1/2)").values, ElementsAre(0.5, 1));
  EXPECT_THROW(value("concat(a@0, reshape(a@1; shape=[2]); dim=0)"), UserError);
}

}  // namespace
}  // namespace assay::test
