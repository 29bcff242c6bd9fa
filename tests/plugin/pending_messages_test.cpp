// When a program waits for its messages decides whether it ends: each right order beside one in
// which the ranks wait for each other.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"
#include "tests/plugin/input_spec.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

// A rank's half of x, and the other's once it has been received.
struct Halves {
  auto send() { return group.send(sent, peer, 0); }
  auto receive() { return group.recv(received, peer, 0); }

  c10d::ProcessGroup& group;
  int peer;
  Tensors sent, received;
};

// The halves of x change places, by what `exchange` does with a rank's own.
CaseReport report_of(const std::function<void(Halves&)>& exchange) {
  RefinementSpec spec;
  spec.name = "PendingMessages";
  spec.mesh = Mesh({{"dp", 2}});
  spec.inputs = {input_spec("x", {4, 6}, Shard("dp", 0))};
  spec.sequential = [](Program& p) { p.output("y", p[{"x"}].roll(2, 0)); };
  spec.distributed = [=](Program& p) {
    const auto group = p.group("dp");
    const at::Tensor x = p[{"x"}];
    Halves halves{*group, 1 - group->getRank(), {x.clone()}, {at::empty_like(x)}};
    exchange(halves);
    p.output("y", at::mul(halves.received[0], 1.0), Shard("dp", 0));
  };
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  return check_refinement(spec, options);
}

void expect_right(const CaseReport& report) {
  EXPECT_EQ(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

void expect_circle(const CaseReport& report) {
  EXPECT_EQ(report.verdict, Verdict::kRefuted) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("ranks wait for each other for ever"));
}

TEST(PendingMessages, AReceiveThatIsBegunFirstIsFilledByALaterSend) {
  expect_right(report_of([](Halves& halves) {
    const auto receiving = halves.receive();
    const auto sending = halves.send();
    receiving->wait();
    sending->wait();
  }));
}

TEST(PendingMessages, ReceivesThatAreWaitedForFirstWaitForEachOther) {
  expect_circle(report_of([](Halves& halves) {
    halves.receive()->wait();
    halves.send()->wait();
  }));
}

TEST(PendingMessages, SendsThatAreWaitedForAfterTheReceivePass) {
  expect_right(report_of([](Halves& halves) {
    const auto sending = halves.send();
    halves.receive()->wait();
    sending->wait();
  }));
}

TEST(PendingMessages, SendsThatAreWaitedForFirstWaitForEachOther) {
  expect_circle(report_of([](Halves& halves) {
    halves.send()->wait();
    halves.receive()->wait();
  }));
}

TEST(PendingMessages, TakingTurnsNeedsNoWorkToGoOn) {
  expect_right(report_of([](Halves& halves) {
    if (halves.peer == 1) halves.send()->wait();
    halves.receive()->wait();
    if (halves.peer == 0) halves.send()->wait();
  }));
}

// Gradients that are all reduced while the message is under way: both go on.
TEST(PendingMessages, ACollectiveBetweenIsNoReasonToWait) {
  expect_right(report_of([](Halves& halves) {
    Tensors sum = {at::sum(halves.sent[0])};
    const auto receiving = halves.receive();
    const auto reducing = halves.group.allreduce(sum);
    const auto sending = halves.send();
    reducing->wait();
    receiving->wait();
    sending->wait();
    halves.received[0].add_(at::mul(sum[0], 0.0));
  }));
}

}  // namespace
}  // namespace assay
