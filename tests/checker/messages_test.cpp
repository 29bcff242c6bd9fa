// Certificates about messages between ranks, and about what only one member of a group gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "shared_ir/collective.h"
#include "static_check/check.h"
#include "tests/checker/expect_rejected.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

/// Rank 0 sends two different functions of x to rank 1, which has nothing else, and receives them
/// when both have been sent.
Replay two_messages() {
  CaseBuilder c(2);
  const Shape shape{4};
  for (GraphBuilder* graph : {&c.sequential(), &c.rank(0)}) {
    const TensorRef x = graph->input("x", shape);
    for (const char* name : {"relu", "sigmoid"}) {
      const TensorRef y = graph->call(name, "aten." + std::string(name) + ".default", {x}, shape);
      if (graph == &c.sequential())
        graph->output(y);
      else
        graph->effect("c10d.send.default", {y, 1, 0, "tp"});
    }
  }
  GraphBuilder& receiver = c.rank(1);
  for (const int rank : {0, 1}) c.rank(rank).effect("c10d.barrier.default", {"tp"});
  for (const char* name : {"relu", "sigmoid"}) {
    const TensorRef memory =
        receiver.call(std::string(name) + ".memory", "aten.empty.memory_format", {{4}}, shape);
    receiver.output(receiver.call(name, "c10d.recv.default", {memory, 0, 0, "tp"}, shape));
  }
  c.relate("x", {"x@0"});
  const Case refinement = c.build();
  const OperatorTable operators = OperatorTable::builtin();
  return replay_of(refinement, static_check(refinement, operators).certificate, operators);
}

/// The rank's messages, in order.
std::vector<size_t> calls(const Replay& replay, size_t rank) {
  std::vector<size_t> found;
  const std::vector<CoreOp>& ops = replay.ranks[rank].ops;
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].prim == Prim::kCollective &&
        is_point_to_point(
            replay.ranks[rank].collectives[static_cast<size_t>(ops[i].collective)].kind))
      found.push_back(i);
  return found;
}

TEST(MessageCertificate, IsAccepted) {
  const CheckResult result = two_messages().check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST(MessageCertificate, WhatIsReceivedIsTheOldestMessage) {
  Replay replay = two_messages();
  const std::vector<size_t> received = calls(replay, 1);
  std::swap(replay.certificate.ranks[1][received[0]], replay.certificate.ranks[1][received[1]]);
  expect_rejected(replay, "of c10d.recv.default relu");
}

TEST(MessageCertificate, WhatIsSentStaysTheSenders) {
  Replay replay = two_messages();
  const std::vector<size_t> sent = calls(replay, 0);
  std::swap(replay.certificate.ranks[0][sent[0]], replay.certificate.ranks[0][sent[1]]);
  expect_rejected(replay, "of c10d.send.default");
}

TEST(MessageCertificate, TagsAgree) {
  Replay replay = two_messages();
  replay.ranks[1].collectives[1].tag = 1;
  expect_rejected(replay, "receives another message");
}

TEST(MessageCertificate, DtypesAgree) {
  Replay replay = two_messages();
  const size_t sent = calls(replay, 0)[0];
  const auto operand = static_cast<size_t>(replay.ranks[0].ops[sent].operands[0]);
  replay.ranks[0].ops[operand].dtype = DType::kBFloat16;
  expect_rejected(replay, "receives another message");
}

TEST(MessageCertificate, EveryMessageIsReceived) {
  Replay replay = two_messages();
  replay.ranks[1].ops.pop_back();
  replay.certificate.ranks[1].pop_back();
  EXPECT_FALSE(replay.check().accepted);
}

TEST(MessageCertificate, AReceiverWaitsForItsMessage) {
  Replay replay = two_messages();
  replay.ranks[0].collectives[1].destination = 0;
  EXPECT_FALSE(replay.check().accepted);
  replay = two_messages();
  replay.ranks[0].collectives[1].ranks = {1, 0};
  expect_rejected(replay, "wait for each other for ever");
}

}  // namespace
}  // namespace assay::test
