// What ends a run of rank threads, and whom it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/dynamic/support/member_runs.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using test::Body, test::destination, test::run_members;
using testing::HasSubstr;

TEST(GroupMember, DifferentCallsAreAMismatch) {
  const auto failure = run_members([](GroupMember& member) {
    const std::string signature = member.index() == 3 ? "all_reduce max" : "all_reduce sum";
    member.all_reduce({"all_reduce", signature}, Reduction::kSum,
                      {make_buffer(DType::kInt32, {4}, true)}, {destination(DType::kInt32, {4})});
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kMismatch);
  EXPECT_THAT(failure->message, HasSubstr("all_reduce max"));
}

TEST(GroupMember, ALostMemberIsNamedWithItsLastCall) {
  const auto failure = run_members(
      [](GroupMember& member) {
        member.barrier({"barrier", "first", false});
        if (member.index() == 2) return;
        member.barrier({"barrier", "second", false});
      },
      {}, 200ms);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_EQ(failure->rank, 14);
  EXPECT_THAT(failure->message, HasSubstr("its last collective: first on tp:0"));
}

TEST(GroupMember, AMessageThatDoesNotComeOrIsAnotherEndsTheRun) {
  for (const bool sent : {false, true}) {
    const auto failure = run_members(
        [&](GroupMember& member) {
          if (member.index() == 0 && sent)
            member.send(1, {"tag 0 int32"}, {make_buffer(DType::kInt32, {4}, true)});
          if (member.index() == 1)
            member.receive(0, {"tag 1 int32"}, {destination(DType::kInt32, {4})}).deliver();
        },
        {}, 200ms);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, sent ? RunFailure::Kind::kMismatch : RunFailure::Kind::kTimeout);
    EXPECT_EQ(failure->rank, sent ? 17 : 20);
  }
}

// Both have begun to receive before either sends, and take what came in another order.
TEST(GroupMember, AReceiveGoesOnUntilItIsDelivered) {
  const auto exchange = [](GroupMember& member) {
    const size_t other = 1 - member.index();
    Destination first = destination(DType::kInt32, {4}), second = destination(DType::kInt32, {4});
    PendingResults one = member.receive(other, {"a"}, {first});
    PendingResults two = member.receive(other, {"b"}, {second});
    const StridedBuffer ones = make_buffer(DType::kInt32, {4}, true);
    std::memset(ones.owned.get(), 1, 16);
    member.send(other, {"a"}, {make_buffer(DType::kInt32, {4}, true)});
    member.send(other, {"b"}, {ones});
    two.deliver();
    one.deliver();
    EXPECT_EQ(*reinterpret_cast<const int32_t*>(first.memory.data), 0);
    EXPECT_EQ(*reinterpret_cast<const int32_t*>(second.memory.data), 0x01010101);
  };
  const auto failure = run_members(exchange, {}, 20s, 2);
  EXPECT_FALSE(failure) << failure->message;
}

// A call whose memory does not fit ends the run; nothing is written where there is no room.
TEST(GroupMember, MemoryThatDoesNotFitIsAnError) {
  const auto error = [](const Body& body) {
    const auto failure = run_members(body);
    return failure && failure->kind == RunFailure::Kind::kError ? failure->message : "no error";
  };
  const StridedBuffer six = make_buffer(DType::kInt32, {6}, true);
  EXPECT_THAT(error([&](GroupMember& member) {
                member.all_reduce({"all_reduce", ""}, Reduction::kSum, {six},
                                  {destination(DType::kInt32, {5})});
              }),
              HasSubstr("gives 6 elements of int32, to be written to int32 [5]"));
  EXPECT_THAT(error([&](GroupMember& member) {
                member.broadcast({"broadcast", ""}, 0, {six}, {destination(DType::kFloat32, {6})});
              }),
              HasSubstr("of int32, to be written to float32 [6]"));
  EXPECT_THAT(error([&](GroupMember& member) {
                member.all_gather({"all_gather", ""}, six, {destination(DType::kInt32, {6})});
              }),
              HasSubstr("gives 4 tensors, to be written to 1"));
  EXPECT_THAT(error([&](GroupMember& member) {
                member.reduce_scatter_rows({"reduce_scatter", ""}, Reduction::kSum, {six},
                                           {destination(DType::kInt32, {1})});
              }),
              HasSubstr("6 rows do not go to 4 members"));
  EXPECT_THAT(error([&](GroupMember& member) {
                member.all_to_all_rows({"all_to_all", ""}, six, {1, 1, 1, 2},
                                       destination(DType::kInt32, {5}));
              }),
              HasSubstr("6 rows do not go to 4 members"));
}

}  // namespace
}  // namespace assay
