// Programs that do not wait for a collective: each is refused, with its line and that of the call.
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/capture.h"

namespace assay {
namespace {

using testing::HasSubstr;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;
using Tensors = std::vector<at::Tensor>;

// What the capture of rank 0 of two throws; empty where it throws nothing. `program` gets the group
// and tensors x, y [4, 6] of its own.
std::string error_of(
    const std::function<void(ProgramContext&, const GroupPtr&, at::Tensor, at::Tensor)>& program) {
  try {
    capture("program", {{"x", {4, 6}}}, 0, Mesh({{"dp", 2}}), [&](ProgramContext& context) {
      program(context, context.group("dp"), context.input("x").clone(),
              at::mul(context.input("x"), 2.0));
    });
  } catch (const UserError& error) {
    EXPECT_THAT(error.place().file, testing::EndsWith("pending_calls_test.cpp"));
    EXPECT_THAT(error.hint(), HasSubstr("call wait() on the Work"));
    return error.what();
  }
  return {};
}

std::string line(int number) { return "pending_calls_test.cpp:" + std::to_string(number); }

TEST(PendingCalls, WhatIsWaitedForInTimePasses) {
  EXPECT_EQ(error_of([](ProgramContext& p, const GroupPtr& group, at::Tensor x, at::Tensor y) {
              Tensors both = {x}, others = {y};
              auto first = group->allreduce(both);
              const auto shape = at::empty_like(x);
              const auto view = x.t().narrow(0, 1, 2);
              auto second = group->allreduce(others);
              const auto own = at::mul(p.input("x"), 3.0);
              second->wait();
              first->wait();
              p.output("y", at::add(at::add(x, y), own));
              p.output("view", view.clone());
              p.output("shape", at::add(shape, 1.0));
            }),
            "");
}

TEST(PendingCalls, ReadingWhatIsStillFilled) {
  int call = 0, use = 0;
  const std::string error =
      error_of([&](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
        Tensors tensors = {x};
        call = __LINE__ + 1;
        auto work = group->allreduce(tensors);
        use = __LINE__ + 1;
        const auto y = at::mul(x, 2.0);
        work->wait();
        p.output("y", y);
      });
  EXPECT_THAT(error, HasSubstr("memory is read here while c10d.allreduce_.default"));
  EXPECT_THAT(error, HasSubstr("may still fill it"));
  EXPECT_THAT(error, HasSubstr(line(call)));
  EXPECT_THAT(error, HasSubstr(line(use)));
}

TEST(PendingCalls, ThroughAnyView) {
  EXPECT_THAT(error_of([](ProgramContext&, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
                const auto column = x.t().select(0, 1);
                Tensors tensors = {x};
                auto work = group->allreduce(tensors);
                at::mul(column, 2.0);
                work->wait();
              }),
              HasSubstr("memory is read here"));
}

// Parts of one buffer are apart.
TEST(PendingCalls, AnotherPartOfTheMemoryIsFree) {
  const auto program = [](int64_t from) {
    return error_of([=](ProgramContext&, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
      Tensors tensors = {x.narrow(0, 0, 2)};
      auto work = group->allreduce(tensors);
      x.narrow(0, from, 2).add_(1.0);
      work->wait();
    });
  };
  EXPECT_EQ(program(2), "");
  EXPECT_THAT(program(1), HasSubstr("memory is written here"));
}

TEST(PendingCalls, NeverWaitingIsAnError) {
  int call = 0;
  const std::string error =
      error_of([&](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor& y) {
        Tensors tensors = {x};
        call = __LINE__ + 1;
        group->allreduce(tensors);
        p.output("y", y);
      });
  EXPECT_THAT(error, HasSubstr("the program never waits for this c10d.allreduce_.default"));
  EXPECT_THAT(error, HasSubstr(line(call)));
}

TEST(PendingCalls, GivingAnOutputIsReadingIt) {
  EXPECT_THAT(
      error_of([](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
        Tensors tensors = {x};
        auto work = group->allreduce(tensors);
        p.output("y", x);
        work->wait();
      }),
      HasSubstr("memory is read here"));
}

TEST(PendingCalls, AReceivedMessageIsThereOnceItIsWaitedFor) {
  const auto program = [](bool waits) {
    return error_of([=](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
      Tensors tensors = {at::empty_like(x)};
      auto work = group->recv(tensors, 1, 0);
      if (waits) work->wait();
      const auto y = at::mul(tensors[0], 2.0);
      work->wait();
      p.output("y", y);
    });
  };
  EXPECT_EQ(program(true), "");
  EXPECT_THAT(program(false), HasSubstr("c10d.recv_.default"));
}

// What is sent may be read meanwhile, not written.
TEST(PendingCalls, OverwritingWhatIsSent) {
  const auto program = [](bool writes) {
    return error_of([=](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
      Tensors tensors = {x};
      auto work = group->send(tensors, 1, 0);
      p.output("y", at::mul(x, 2.0));
      if (writes) x.zero_();
      work->wait();
    });
  };
  EXPECT_EQ(program(false), "");
  EXPECT_THAT(program(true), HasSubstr("memory is written here while c10d.send.default"));
}

TEST(PendingCalls, OverwritingAnOperandOfAGather) {
  EXPECT_THAT(error_of([](ProgramContext&, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
                auto all = at::empty({8, 6});
                auto work = group->_allgather_base(all, x);
                x.add_(1.0);
                work->wait();
              }),
              HasSubstr("may still read it"));
}

TEST(PendingCalls, ListsAndCoalescedTensors) {
  EXPECT_THAT(error_of([](ProgramContext&, const GroupPtr& group, at::Tensor x, at::Tensor y) {
                Tensors tensors = {x, y};
                auto work = group->allreduce_coalesced(tensors);
                at::mul(y, 2.0);
                work->wait();
              }),
              HasSubstr("may still fill it"));
  EXPECT_THAT(error_of([](ProgramContext&, const GroupPtr& group, at::Tensor x, at::Tensor y) {
                std::vector<Tensors> all = {{at::empty_like(x), at::empty_like(x)}};
                Tensors tensors = {y};
                auto work = group->allgather(all, tensors);
                at::mul(all[0][1], 2.0);
                work->wait();
              }),
              HasSubstr("may still fill it"));
}

// Another collective uses memory, too.
TEST(PendingCalls, ACollectiveOnWhatIsStillFilled) {
  EXPECT_THAT(error_of([](ProgramContext&, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
                Tensors tensors = {x};
                auto first = group->allreduce(tensors);
                auto second = group->allreduce(tensors);
                first->wait();
                second->wait();
              }),
              HasSubstr("memory is written here"));
}

TEST(PendingCalls, ASynchronousCallNeedsNoWait) {
  EXPECT_EQ(error_of([](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
              Tensors tensors = {x};
              c10d::AllreduceOptions options;
              options.asyncOp = false;
              group->allreduce(tensors, options);
              p.output("y", at::mul(x, 2.0));
            }),
            "");
}

TEST(PendingCalls, FunctionalOnesAreWaitedForByTheirTensor) {
  const auto program = [](bool waits) {
    return error_of([=](ProgramContext& p, const GroupPtr& group, at::Tensor x, const at::Tensor&) {
      const auto gather = c10::Dispatcher::singleton()
                              .findSchemaOrThrow("_c10d_functional::all_gather_into_tensor", "")
                              .typed<at::Tensor(const at::Tensor&, int64_t, std::string)>();
      const auto wait = c10::Dispatcher::singleton()
                            .findSchemaOrThrow("_c10d_functional::wait_tensor", "")
                            .typed<at::Tensor(const at::Tensor&)>();
      auto all = gather.call(x, 2, group->getGroupName());
      if (waits) all = wait.call(all);
      const auto y = at::mul(all, 2.0);
      wait.call(all);
      p.output("y", y);
    });
  };
  EXPECT_EQ(program(true), "");
  EXPECT_THAT(program(false), HasSubstr("may still fill it"));
}

}  // namespace
}  // namespace assay
