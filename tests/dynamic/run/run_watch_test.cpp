// The leader's watch over one run: threads stand in for the processes of the ranks.
#include "dynamic_check/run/execute/processes/run_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "dynamic_check/run/execute/processes/anonymous_file.h"

namespace assay {
namespace {

using std::chrono_literals::operator""ms;
using testing::AllOf;
using testing::HasSubstr;

const Groups kGroups{{"tp:0", {0, 1}}};

WatchedCall sum(const std::string& sizes) {
  return {WatchedCall::Kind::kCollective, "tp:0", "all_reduce sum Float " + sizes, 0};
}

// A rank's end, as its program uses it.
struct FakeRank {
  explicit FakeRank(FileDescriptor end) : socket(std::move(end)) {}
  MessageSocket socket;

  void start() { socket.send(Message::Kind::kStarted, ""); }
  void node(int64_t id) { socket.send(Message::Kind::kNode, std::to_string(id)); }
  void call(const WatchedCall& call) { socket.send(Message::Kind::kCollective, call.payload()); }
  void end(RankOutcome::Kind kind = RankOutcome::Kind::kDone, const std::string& message = "") {
    socket.send(Message::Kind::kOutcome, RankOutcome{kind, message}.payload());
  }
};

struct Watched {
  std::optional<RunFailure> failure;
  std::vector<Rank> unfinished;
  std::vector<std::string> results;  // by rank
};

using Body = std::function<void(FakeRank&)>;

// One thread per body; its socket closes when the body returns.
Watched watch(const std::vector<Body>& bodies, RunLimits limits = {}) {
  std::vector<std::unique_ptr<MessageSocket>> leader;
  std::vector<std::thread> ranks;
  for (const Body& body : bodies) {
    auto [own, theirs] = make_socket_pair();
    leader.push_back(std::make_unique<MessageSocket>(std::move(own)));
    auto rank = std::make_shared<FakeRank>(std::move(theirs));
    ranks.emplace_back([body, rank] {
      try {
        body(*rank);
      } catch (const SocketClosed&) {
      }
    });
  }
  Watched result;
  result.results.resize(bodies.size());
  std::vector<MessageSocket*> sockets;
  for (const auto& socket : leader) sockets.push_back(socket.get());
  RunWatch run(sockets, kGroups, limits,
               {.results =
                    [&](Rank rank, std::string_view bytes) {
                      result.results[static_cast<size_t>(rank)] += bytes;
                    },
                .how_lost = [](Rank) { return std::string("was lost"); }});
  result.failure = run.wait();
  result.unfinished = run.unfinished();
  leader.clear();
  for (std::thread& rank : ranks) rank.join();
  return result;
}

// Until the leader closes.
void hang(FakeRank& rank) { rank.socket.receive(); }

TEST(RunWatch, RanksThatAllEndAreNoFailureAndTheirResultsComeWhole) {
  const std::string large(3'000'000, 'x');
  const Body body = [&](FakeRank& rank) {
    rank.start();
    rank.call(sum("[4]"));
    rank.socket.send(Message::Kind::kResults, large);
    rank.socket.send(Message::Kind::kResults, "end");
    rank.end();
  };
  const Watched run = watch({body, body});
  EXPECT_FALSE(run.failure);
  EXPECT_THAT(run.unfinished, testing::IsEmpty());
  EXPECT_EQ(run.results[0], large + "end");
  EXPECT_EQ(run.results[1], large + "end");
}

TEST(RunWatch, ALostRankIsNamedWithItsLastNodeAndCollective) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                               rank.end(RankOutcome::Kind::kCollective, "connection closed");
                             },
                             [](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                               rank.node(7);
                             }});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->rank, 1);
  EXPECT_EQ(run.failure->kind, RunFailure::Kind::kError);
  EXPECT_EQ(run.failure->last, 7);
  EXPECT_EQ(run.failure->message,
            "rank 1: its process was lost (its last collective: all_reduce sum Float [4] on tp:0 "
            "(number 1 there))");
  EXPECT_THAT(run.unfinished, testing::ElementsAre(1));
}

TEST(RunWatch, CallsThatDifferExplainWhatFollows) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                             },
                             [](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[5]"));
                               rank.end(RankOutcome::Kind::kCollective, "wrong size");
                             }});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->kind, RunFailure::Kind::kMismatch);
  EXPECT_THAT(run.failure->message, AllOf(HasSubstr("Float [4]"), HasSubstr("Float [5]"),
                                          HasSubstr("as number 1 on tp:0")));
}

TEST(RunWatch, ARankThatThrowsIsNamedBeforeThoseThatWaitForIt) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                               rank.end(RankOutcome::Kind::kCollective, "timed out");
                             },
                             [](FakeRank& rank) {
                               rank.start();
                               rank.end(RankOutcome::Kind::kError, "out of luck");
                             }});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->message, "rank 1: out of luck");
}

TEST(RunWatch, TheRankThatAnotherWaitsForIsNamed) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                               rank.end(RankOutcome::Kind::kCollective, "timed out");
                             },
                             [](FakeRank& rank) {
                               rank.start();
                               hang(rank);
                             }},
                            {.grace = 50ms});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_EQ(run.failure->rank, 1);
  EXPECT_EQ(run.failure->message,
            "rank 0 waited in all_reduce sum Float [4] on tp:0 (number 1 there); rank 1 did not "
            "come (its last collective: none): timed out");
}

TEST(RunWatch, ARankThatStartsAfterAFailureIsNotWaitedForAnyLonger) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.end(RankOutcome::Kind::kError, "out of luck");
                             },
                             [](FakeRank& rank) {
                               std::this_thread::sleep_for(50ms);
                               rank.start();
                               hang(rank);
                             }},
                            {.run = 300'000ms, .grace = 200ms});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->message, "rank 0: out of luck");
}

TEST(RunWatch, OfTwoThatDoNotEndTheOneIsNamedThatWaitsForNobody) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               rank.call(sum("[4]"));
                               hang(rank);
                             },
                             [](FakeRank& rank) {
                               rank.start();
                               hang(rank);
                             }},
                            {.run = 100ms});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->rank, 1);
  EXPECT_EQ(run.failure->message, "rank 1 did not end within 100 ms (its last collective: none)");
}

TEST(RunWatch, ARankThatDoesNotStartHasALimitOfItsOwn) {
  const Watched run = watch({[](FakeRank& rank) {
                               rank.start();
                               hang(rank);
                             },
                             hang},
                            {.start = 100ms});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_THAT(run.failure->message, HasSubstr("did not start within 100 ms"));
}

TEST(RunWatch, BytesThatAreNoMessageAreALoss) {
  const Watched run = watch({[](FakeRank& rank) {
    const std::string foreign = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    ASSERT_GT(::write(rank.socket.descriptor(), foreign.data(), foreign.size()), 0);
    hang(rank);
  }});
  ASSERT_TRUE(run.failure);
  EXPECT_THAT(run.failure->message, HasSubstr("was lost"));
}

TEST(MessageSocket, ManySendersDoNotMix) {
  auto [one, other] = make_socket_pair();
  MessageSocket sender(std::move(one)), receiver(std::move(other));
  std::vector<std::thread> threads;
  for (char letter : {'a', 'b', 'c'}) {
    threads.emplace_back([&sender, letter] {
      for (int i = 0; i < 50; ++i)
        sender.send(Message::Kind::kNode, std::string(static_cast<size_t>(10'000 + i), letter));
    });
  }
  for (int i = 0; i < 150; ++i) {
    const std::string payload = receiver.receive().payload;
    EXPECT_EQ(payload.find_first_not_of(payload[0]), std::string::npos);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(MessageSocket, AFileArrivesWhole) {
  auto [one, other] = make_socket_pair();
  MessageSocket sender(std::move(one)), receiver(std::move(other));
  const FileDescriptor file = make_anonymous_file();
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i);
  append(file, text);
  std::thread thread([&] { sender.send_file(Message::Kind::kInputs, file); });
  std::string read;
  while (read.size() < text.size()) read += receiver.receive().payload;
  thread.join();
  EXPECT_EQ(read, text);
}

TEST(CollectiveLedger, AMessageOfAnotherShapeIsAMismatchOfItsReceiver) {
  CollectiveLedger ledger(kGroups);
  EXPECT_FALSE(ledger.enter(0, {WatchedCall::Kind::kSend, "tp:0", "tag 0 Float [4]", 1}));
  EXPECT_EQ(ledger.missing(0), 1);
  const auto differs = ledger.enter(1, {WatchedCall::Kind::kReceive, "tp:0", "tag 0 Float [5]", 0});
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->rank, 1);
  EXPECT_EQ(differs->message,
            "rank 1 expects tag 0 Float [5] of rank 0, which sends tag 0 Float [4], on tp:0");
  EXPECT_EQ(ledger.missing(0), std::nullopt);
}

TEST(CollectiveLedger, AReceiverWaitsForItsSender) {
  CollectiveLedger ledger(kGroups);
  ledger.enter(1, {WatchedCall::Kind::kReceive, "tp:0", "tag 0 Float [4]", 0});
  EXPECT_EQ(ledger.missing(1), 0);
  EXPECT_EQ(ledger.last(1), "recv tag 0 Float [4] from rank 0 on tp:0");
  EXPECT_EQ(ledger.last(0), "none");
}

}  // namespace
}  // namespace assay
