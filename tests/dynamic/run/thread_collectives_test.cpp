// The collectives of rank threads over plain memory. Under the thread sanitizer these tests also
// show that members share it without a data race.
#include "dynamic_check/run/execute/threads/thread_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/dynamic/support/member_runs.h"
#include "tests/dynamic/support/number_oracle.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using test::Body, test::destination, test::kMembers, test::run_members;
using Buffers = GroupMember::Buffers;
using Destinations = GroupMember::Destinations;
using Bits = std::vector<std::optional<uint64_t>>;

constexpr int64_t kColumns = 3;
const Shape kWhole{8, kColumns}, kPart{2, kColumns};

// What the caller keeps, as a program's tensor is.
StridedBuffer lent(StridedBuffer buffer) {
  buffer.owned = nullptr;
  return buffer;
}

Bits bits(const StridedBuffer& buffer) {
  Bits result;
  for (const uint64_t number : test::bits_of(buffer)) result.emplace_back(number);
  return result;
}

Bits joined(const Buffers& parts) { return bits(concat(parts, 0)); }

StridedBuffer rows(const StridedBuffer& buffer, int64_t start, int64_t count) {
  return narrow(buffer, 0, start, count);
}

void expect_all_run(const Body& body, CompletionHook completion = {}) {
  const auto failure = run_members(body, std::move(completion));
  EXPECT_FALSE(failure) << failure->message;
}

Completion late(const CollectiveStart&) { return Completion::kAtWait; }

// One round of every collective on one type; each member's inputs by its position.
struct Round {
  DType dtype;
  std::vector<StridedBuffer> whole;  // one of each member

  explicit Round(DType type, uint64_t seed) : dtype(type) {
    for (size_t i = 0; i < kMembers; ++i)
      whole.push_back(test::random_buffer(type, kWhole, 100 * seed + i));
  }

  // The members' pieces for one of them.
  Buffers pieces_for(size_t member) const {
    Buffers pieces;
    for (const StridedBuffer& buffer : whole)
      pieces.push_back(contiguous(rows(buffer, static_cast<int64_t>(2 * member), 2)));
    return pieces;
  }
  // One member's pieces for all, of memory that is not its own.
  Buffers pieces_of(size_t member) const {
    Buffers pieces;
    for (int64_t i = 0; i < static_cast<int64_t>(kMembers); ++i)
      pieces.push_back(lent(rows(whole[member], 2 * i, 2)));
    return pieces;
  }
};

// Calls a collective, and holds what is in the destinations then against what is expected.
void expect_gives(const Round& round, const std::vector<Shape>& shapes,
                  const std::vector<Bits>& expected, const char* what,
                  const std::function<PendingResults(Destinations)>& call) {
  Destinations to;
  for (const Shape& shape : shapes) to.push_back(destination(round.dtype, shape));
  PendingResults pending = call(to);
  pending.deliver();
  for (size_t i = 0; i < to.size(); ++i)
    EXPECT_TRUE(test::has_bits(to[i].memory, expected[i])) << what << " " << to_string(round.dtype);
}

void expect_reductions(GroupMember& member, const Round& round, Reduction reduction,
                       const Bits& all, const Bits& own) {
  const size_t i = member.index(), root = 1;
  const std::string name = to_string(reduction);
  const Buffers whole{lent(round.whole[i])};
  expect_gives(round, {kWhole}, {all}, "all_reduce", [&](Destinations to) {
    return member.all_reduce({"all_reduce", name}, reduction, whole, std::move(to));
  });
  expect_gives(round, {kPart}, {own}, "reduce_scatter", [&](Destinations to) {
    return member.reduce_scatter({"reduce_scatter", name}, reduction, round.pieces_of(i), to[0]);
  });
  expect_gives(round, {kPart}, {own}, "reduce_scatter_rows", [&](Destinations to) {
    return member.reduce_scatter_rows({"reduce_scatter", name}, reduction, whole, std::move(to));
  });
  const std::vector<Shape> at_root = i == root ? std::vector<Shape>{kWhole} : std::vector<Shape>();
  expect_gives(round, at_root, {all}, "reduce", [&](Destinations to) {
    return member.reduce({"reduce", name}, reduction, root, whole, std::move(to));
  });
}

void expect_movements(GroupMember& member, const Round& round) {
  const size_t i = member.index(), root = 2;
  const Buffers whole{lent(round.whole[i])}, for_me = round.pieces_for(i);
  std::vector<Bits> wholes, mine;
  for (const StridedBuffer& buffer : round.whole) wholes.push_back(bits(buffer));
  for (const StridedBuffer& buffer : for_me) mine.push_back(bits(buffer));
  const std::vector<Shape> each_whole(kMembers, kWhole), each_part(kMembers, kPart);
  expect_gives(round, {kWhole}, {wholes[root]}, "broadcast", [&](Destinations to) {
    return member.broadcast({"broadcast", "b"}, root, whole, std::move(to));
  });
  expect_gives(round, each_whole, wholes, "all_gather", [&](Destinations to) {
    return member.all_gather({"all_gather", "g"}, whole[0], std::move(to));
  });
  expect_gives(round, i == root ? each_whole : std::vector<Shape>(), wholes, "gather",
               [&](Destinations to) {
                 return member.gather({"gather", "h"}, root, whole[0], std::move(to));
               });
  expect_gives(round, {{32, kColumns}}, {joined(round.whole)}, "all_gather_rows",
               [&](Destinations to) {
                 return member.all_gather_rows({"all_gather", "r"}, whole, std::move(to));
               });
  expect_gives(round, each_part, mine, "all_to_all", [&](Destinations to) {
    return member.all_to_all({"all_to_all", "a"}, round.pieces_of(i), std::move(to));
  });
  expect_gives(round, {kWhole}, {joined(for_me)}, "all_to_all_rows", [&](Destinations to) {
    return member.all_to_all_rows({"all_to_all", "t"}, whole[0], {}, to[0]);
  });
  const Bits scattered = bits(rows(round.whole[root], static_cast<int64_t>(2 * i), 2));
  expect_gives(round, {kPart}, {scattered}, "scatter", [&](Destinations to) {
    return member.scatter({"scatter", "s"}, root, i == root ? round.pieces_of(i) : Buffers(),
                          to[0]);
  });
  const size_t next = (i + 1) % kMembers, previous = (i + kMembers - 1) % kMembers;
  member.send(next, {"tag 0"}, whole);
  expect_gives(round, {kWhole}, {wholes[previous]}, "recv",
               [&](Destinations to) { return member.receive(previous, {"tag 0"}, std::move(to)); });
  member.barrier({"barrier", "barrier", false});
}

class EveryType : public testing::TestWithParam<DType> {};

TEST_P(EveryType, MembersGetWhatOneThreadComputes) {
  constexpr uint64_t kRounds = 10;
  for (const bool at_wait : {false, true}) {
    std::vector<Round> rounds;
    for (uint64_t seed = 0; seed < kRounds; ++seed) rounds.emplace_back(GetParam(), seed);
    const CompletionHook hook = at_wait ? late : CompletionHook();
    expect_all_run(
        [&](GroupMember& member) {
          for (const Round& round : rounds) {
            for (const Reduction reduction :
                 {Reduction::kSum, Reduction::kAverage, Reduction::kProduct, Reduction::kMin,
                  Reduction::kMax}) {
              if (reduction == Reduction::kAverage && !is_floating(round.dtype)) continue;
              expect_reductions(member, round, reduction, test::reduced(reduction, round.whole),
                                test::reduced(reduction, round.pieces_for(member.index())));
            }
            expect_movements(member, round);
          }
        },
        hook);
  }
}

INSTANTIATE_TEST_SUITE_P(GroupMember, EveryType, testing::ValuesIn(test::kTypes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(GroupMember, RowsOfAnExchangeMayDiffer) {
  expect_all_run([](GroupMember& member) {
    const auto i = static_cast<int64_t>(member.index());
    // Member i has i rows more for the last member than for the others, of its own number.
    const StridedBuffer input = make_buffer(DType::kInt64, {4 + i}, false);
    std::fill_n(reinterpret_cast<int64_t*>(input.owned.get()), 4 + i, i);
    const bool last = member.index() == kMembers - 1;
    const Destination to = destination(DType::kInt64, {last ? 10 : 4});
    member.all_to_all_rows({"all_to_all", ""}, input, {1, 1, 1, 1 + i}, to);
    EXPECT_EQ(bits(to.memory), last ? (Bits{0, 1, 1, 2, 2, 2, 3, 3, 3, 3}) : (Bits{0, 1, 2, 3}));
  });
}

TEST(GroupMember, MemoryMayHaveAnyStrides) {
  expect_all_run([](GroupMember& member) {
    const int64_t swapped[] = {1, 0};
    const StridedBuffer input = test::random_buffer(DType::kFloat32, {5, 6}, member.index());
    Buffers all;
    for (size_t i = 0; i < kMembers; ++i)
      all.push_back(copy(permute(test::random_buffer(DType::kFloat32, {5, 6}, i), swapped)));
    const Destination to{permute(make_buffer(DType::kFloat32, {5, 6}, true), swapped), {}};
    member.all_reduce({"all_reduce", ""}, Reduction::kSum, {lent(permute(input, swapped))}, {to});
    EXPECT_TRUE(test::has_bits(to.memory, test::reduced(Reduction::kSum, all)));
  });
}

TEST(GroupMember, ALateResultIsWrittenWhenItIsDeliveredAndOnlyOnce) {
  expect_all_run(
      [](GroupMember& member) {
        const StridedBuffer input = test::random_buffer(DType::kInt32, {6}, member.index());
        Buffers all;
        for (size_t i = 0; i < kMembers; ++i)
          all.push_back(test::random_buffer(DType::kInt32, {6}, i));
        int written = 0;
        // In place: what is reduced is also the destination.
        const Destination to{input, [&written] { ++written; }};
        PendingResults pending =
            member.all_reduce({"all_reduce", ""}, Reduction::kSum, {lent(input)}, {to});
        member.barrier({"barrier", "", false});
        EXPECT_EQ(bits(input), bits(all[member.index()])) << "not yet";
        pending.deliver();
        EXPECT_TRUE(test::has_bits(input, test::reduced(Reduction::kSum, all)));
        std::fill_n(input.owned.get(), 4, std::byte{7});
        pending.deliver();
        EXPECT_EQ(written, 1);
        EXPECT_EQ(bits(input).front(), 0x07070707u);
      },
      late);
}

TEST(GroupMember, ASynchronousResultIsInPlaceWhateverTheHookSays) {
  expect_all_run(
      [](GroupMember& member) {
        const StridedBuffer one = test::buffer_of_bits(DType::kInt32, {1}, {1});
        const Destination to = destination(DType::kInt32, {1});
        member.all_reduce({"all_reduce", "", false}, Reduction::kSum, {lent(one)}, {to});
        EXPECT_EQ(bits(to.memory), Bits{4});
      },
      late);
}

TEST(GroupMember, AnInputThatIsNotReadyIsHalfZeroForAllButItsOwner) {
  expect_all_run(
      [](GroupMember& member) {
        const StridedBuffer ones = test::buffer_of_bits(DType::kUint8, {5}, {1, 1, 1, 1, 1});
        const Destination to = destination(DType::kUint8, {5});
        member.all_reduce({"all_reduce", ""}, Reduction::kSum, {ones}, {to});
        EXPECT_EQ(bits(to.memory), (Bits{4, 4, 3, 3, 3}));
        EXPECT_EQ(bits(ones), (Bits{1, 1, 1, 1, 1}));
      },
      [](const CollectiveStart& call) {
        return call.rank == 14 ? Completion::kInputUnready : Completion::kAtOnce;
      });
}

TEST(GroupMember, TheHookIsToldEachCallOfTheGroupInTurn) {
  std::vector<std::string> calls;
  run_members(
      [](GroupMember& member) {
        member.barrier({"barrier", "", false});
        member.send(0, {"tag 0"}, {make_buffer(DType::kBool, {1}, true)});
        member.receive(0, {"tag 0"}, {destination(DType::kBool, {1})});
      },
      [&](const CollectiveStart& call) {
        calls.push_back(call.op + std::to_string(call.index) + " " + call.group);
        return Completion::kAtOnce;
      },
      20s, 1);
  EXPECT_EQ(calls, (std::vector<std::string>{"barrier0 tp:0", "send1 tp:0", "recv2 tp:0"}));
}

TEST(GroupMember, WhatAnInputOwnsIsSharedAndNotCopied) {
  expect_all_run(
      [](GroupMember& member) {
        const StridedBuffer input = make_buffer(DType::kInt32, {4}, true);
        const Destination to = destination(DType::kInt32, {4});
        const PendingResults pending =
            member.all_reduce({"all_reduce", ""}, Reduction::kSum, {input}, {to});
        EXPECT_GT(input.owned.use_count(), 1);
      },
      late);
}

// Nothing that a run was given is kept once it has ended.
TEST(GroupMember, MemoryIsLetGoOfWhenResultsAreDeliveredAndWhenARunFails) {
  for (const bool fails : {false, true}) {
    std::vector<std::weak_ptr<std::byte[]>> given(2 * kMembers);
    const auto failure = run_members(
        [&](GroupMember& member) {
          const StridedBuffer input = make_buffer(DType::kInt32, {4}, true);
          const Destination to = destination(DType::kInt32, {4});
          given[2 * member.index()] = input.owned;
          given[2 * member.index() + 1] = to.memory.owned;
          PendingResults pending =
              member.all_reduce({"all_reduce", ""}, Reduction::kSum, {input}, {to});
          if (fails && member.index() == 0) throw std::runtime_error("out of luck");
          member.barrier({"barrier", "", false});
          pending.deliver();
          EXPECT_EQ(to.memory.owned.use_count(), 1);
        },
        late);
    EXPECT_EQ(failure.has_value(), fails);
    for (const auto& memory : given) EXPECT_TRUE(memory.expired()) << fails;
  }
}

}  // namespace
}  // namespace assay
