// The meeting of rank threads, by itself. Under the thread sanitizer these tests also show that it
// has no data race.
#include "dynamic_check/run/execute/threads/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Calls `body` with each rank, on a thread of its own.
void on_threads(Rank ranks, const std::function<void(Rank)>& body) {
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

std::vector<int> as_numbers(const std::vector<std::any>& offers) {
  std::vector<int> numbers;
  for (const std::any& offer : offers) numbers.push_back(std::any_cast<int>(offer));
  return numbers;
}

TEST(Rendezvous, EveryMemberGetsAllOffersInTheOrderOfTheGroup) {
  Rendezvous rendezvous(20s);
  std::vector<std::vector<int>> got(3);
  on_threads(3, [&](Rank rank) {
    got[static_cast<size_t>(rank)] =
        as_numbers(rendezvous.exchange("g", {2, 0, 1}, rank, "gather", 10 * rank));
  });
  for (const auto& offers : got) EXPECT_EQ(offers, (std::vector{20, 0, 10}));
  EXPECT_FALSE(rendezvous.failure());
}

TEST(Rendezvous, MeetingsOfOverlappingGroupsDoNotMix) {
  constexpr int kRounds = 200;
  Rendezvous rendezvous(20s);
  std::vector<int> wrong(4, 0);
  on_threads(4, [&](Rank rank) {
    const Rank first = rank / 2 * 2;
    for (int round = 0; round < kRounds; ++round) {
      const auto pair = as_numbers(rendezvous.exchange(
          "pair" + std::to_string(first), {first, first + 1}, rank, "x", 100 * round + rank));
      const auto all =
          as_numbers(rendezvous.exchange("all", {0, 1, 2, 3}, rank, "y", 100 * round - rank));
      const int base = 100 * round;
      if (pair != std::vector{base + first, base + first + 1} ||
          all != std::vector{base, base - 1, base - 2, base - 3})
        ++wrong[static_cast<size_t>(rank)];
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Rendezvous, AMemberThatDoesNotComeIsNamedWithItsLastCollective) {
  Rendezvous rendezvous(100ms);
  on_threads(2, [&](Rank rank) {
    rendezvous.exchange("g", {0, 1}, rank, "first", rank);
    if (rank == 0) {
      EXPECT_THROW(rendezvous.exchange("g", {0, 1}, rank, "second", rank), RunAborted);
    }
  });
  const auto failure = rendezvous.failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_EQ(failure->rank, 1);
  EXPECT_THAT(failure->message, HasSubstr("rank 1 did not come (its last collective: first on g"));
}

TEST(Rendezvous, DifferentSignaturesEndAllMembers) {
  Rendezvous rendezvous(20s);
  on_threads(3, [&](Rank rank) {
    const std::string signature = rank == 2 ? "max" : "sum";
    EXPECT_THROW(rendezvous.exchange("g", {0, 1, 2}, rank, signature, rank), RunAborted);
  });
  ASSERT_TRUE(rendezvous.failure());
  EXPECT_EQ(rendezvous.failure()->kind, RunFailure::Kind::kMismatch);
}

TEST(Rendezvous, AFailureWakesThoseWhoWaitAndTheFirstOneStands) {
  Rendezvous rendezvous(20s);
  on_threads(3, [&](Rank rank) {
    if (rank == 2) {
      rendezvous.fail({RunFailure::Kind::kError, 2, "out of luck"});
      rendezvous.fail({RunFailure::Kind::kError, 2, "again"});
    } else {
      EXPECT_THROW(rendezvous.exchange("g", {0, 1, 2}, rank, "sum", rank), RunAborted);
    }
  });
  ASSERT_TRUE(rendezvous.failure());
  EXPECT_EQ(rendezvous.failure()->message, "out of luck");
}

}  // namespace
}  // namespace assay
