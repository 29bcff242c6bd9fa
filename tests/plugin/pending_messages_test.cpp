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

// The halves of x change places, by what `exchange` makes of a rank's own half.
CaseReport report_of(
    const std::function<at::Tensor(const at::Tensor&, c10d::ProcessGroup&, int peer)>& exchange) {
  RefinementSpec spec;
  spec.name = "PendingMessages";
  spec.mesh = Mesh({{"dp", 2}});
  spec.inputs = {input_spec("x", {4, 6}, Shard("dp", 0))};
  spec.sequential = [](Program& p) { p.output("y", p[{"x"}].roll(2, 0)); };
  spec.distributed = [=](Program& p) {
    const auto group = p.group("dp");
    p.output("y", exchange(p[{"x"}], *group, 1 - group->getRank()), Shard("dp", 0));
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
  expect_right(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)};
    const auto receiving = group.recv(received, peer, 0);
    const auto sending = group.send(sent, peer, 0);
    receiving->wait();
    sending->wait();
    return at::mul(received[0], 1.0);
  }));
}

TEST(PendingMessages, ReceivesThatAreWaitedForFirstWaitForEachOther) {
  expect_circle(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)};
    group.recv(received, peer, 0)->wait();
    group.send(sent, peer, 0)->wait();
    return at::mul(received[0], 1.0);
  }));
}

TEST(PendingMessages, SendsThatAreWaitedForAfterTheReceivePass) {
  expect_right(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)};
    const auto sending = group.send(sent, peer, 0);
    group.recv(received, peer, 0)->wait();
    sending->wait();
    return at::mul(received[0], 1.0);
  }));
}

TEST(PendingMessages, SendsThatAreWaitedForFirstWaitForEachOther) {
  expect_circle(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)};
    group.send(sent, peer, 0)->wait();
    group.recv(received, peer, 0)->wait();
    return at::mul(received[0], 1.0);
  }));
}

TEST(PendingMessages, TakingTurnsNeedsNoWorkToGoOn) {
  expect_right(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)};
    if (peer == 1) group.send(sent, peer, 0)->wait();
    group.recv(received, peer, 0)->wait();
    if (peer == 0) group.send(sent, peer, 0)->wait();
    return at::mul(received[0], 1.0);
  }));
}

// Gradients that are all reduced while the message is under way: both go on.
TEST(PendingMessages, ACollectiveBetweenIsNoReasonToWait) {
  expect_right(report_of([](const at::Tensor& x, c10d::ProcessGroup& group, int peer) {
    Tensors sent = {x.clone()}, received = {at::empty_like(x)}, sum = {at::sum(x)};
    const auto receiving = group.recv(received, peer, 0);
    const auto reducing = group.allreduce(sum);
    const auto sending = group.send(sent, peer, 0);
    reducing->wait();
    receiving->wait();
    sending->wait();
    return at::add(received[0], at::mul(sum[0], 0.0));
  }));
}

}  // namespace
}  // namespace assay
