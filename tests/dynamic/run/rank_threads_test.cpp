#include "dynamic_check/run/execute/threads/rank_threads.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace assay {
namespace {

using std::chrono_literals::operator""ms;

const Mesh kTwo{{{"tp", 2}}};
const Mesh kFour{{{"dp", 2}, {"tp", 2}}};
const Mesh kRow{{{"tp", 4}}};

at::Tensor ramp(Rank rank) { return at::arange(4, at::kDouble) + 10 * rank; }

// Runs a body on every rank and expects no failure.
void run(const Mesh& mesh, std::function<void(RankEnvironment&)> body,
         CompletionHook completion = {}) {
  const auto failure =
      run_rank_threads(mesh, {.timeout = 20'000ms, .completion = std::move(completion)}, body);
  EXPECT_FALSE(failure) << failure->message;
}

TEST(RankThreads, AllReduceSumsOverTheGroupInItsAxis) {
  run(kFour, [](RankEnvironment& rank) {
    std::vector<at::Tensor> tensors{ramp(rank.rank())};
    rank.group("tp")->allreduce(tensors)->wait();
    const Rank first = rank.rank() / 2 * 2;
    EXPECT_TRUE(at::equal(tensors[0], ramp(first) + ramp(first + 1)));
  });
}

TEST(RankThreads, AllGatherAndReduceScatterMoveRows) {
  run(kTwo, [](RankEnvironment& rank) {
    at::Tensor input = ramp(rank.rank());
    at::Tensor gathered = at::zeros({8}, at::kDouble);
    rank.group("tp")->_allgather_base(gathered, input)->wait();
    EXPECT_TRUE(at::equal(gathered.narrow(0, 4, 4), ramp(1)));
    at::Tensor scattered = at::zeros({4}, at::kDouble);
    rank.group("tp")->_reduce_scatter_base(scattered, gathered)->wait();
    EXPECT_TRUE(at::equal(scattered, 2 * ramp(rank.rank())));
  });
}

TEST(RankThreads, BroadcastAndAllToAllMoveValues) {
  run(kTwo, [](RankEnvironment& rank) {
    std::vector<at::Tensor> tensors{ramp(rank.rank())};
    c10d::BroadcastOptions from_one;
    from_one.rootRank = 1;
    rank.group("tp")->broadcast(tensors, from_one)->wait();
    EXPECT_TRUE(at::equal(tensors[0], ramp(1)));
    at::Tensor input = ramp(rank.rank());
    at::Tensor output = at::zeros({4}, at::kDouble);
    std::vector<int64_t> even;
    rank.group("tp")->alltoall_base(output, input, even, even)->wait();
    EXPECT_TRUE(at::equal(output.narrow(0, 2, 2), ramp(1).narrow(0, 2 * rank.rank(), 2)));
  });
}

TEST(RankThreads, MessagesArriveInOrderWhenTheirReceiverComes) {
  run(kTwo, [](RankEnvironment& rank) {
    const auto group = rank.group("tp");
    const int peer = 1 - rank.rank();
    for (int i = 0; i < 2; ++i) {  // both send first
      std::vector<at::Tensor> sent{ramp(rank.rank()) + 100 * i};
      group->send(sent, peer, i)->wait();
      sent[0].zero_();
    }
    for (int i = 0; i < 2; ++i) {
      std::vector<at::Tensor> received{at::zeros({4}, at::kDouble)};
      group->recv(received, peer, i)->wait();
      EXPECT_TRUE(at::equal(received[0], ramp(peer) + 100 * i));
    }
  });
}

TEST(RankThreads, RootedCollectivesGiveTheRootAlone) {
  run(kTwo, [](RankEnvironment& rank) {
    const auto group = rank.group("tp");
    const bool root = rank.rank() == 1;
    std::vector<at::Tensor> sum{ramp(rank.rank())};
    group->reduce(sum, {.rootRank = 1})->wait();
    EXPECT_TRUE(at::equal(sum[0], root ? ramp(0) + ramp(1) : ramp(0)));
    std::vector<at::Tensor> own{ramp(rank.rank())};
    std::vector<std::vector<at::Tensor>> all;
    if (root) all = {{at::zeros({4}, at::kDouble), at::zeros({4}, at::kDouble)}};
    group->gather(all, own, {.rootRank = 1})->wait();
    if (root) {
      EXPECT_TRUE(at::equal(all[0][0], ramp(0)) && at::equal(all[0][1], ramp(1)));
    }
    std::vector<at::Tensor> piece{at::zeros({4}, at::kDouble)};
    std::vector<std::vector<at::Tensor>> pieces;
    if (root) pieces = {{ramp(5), ramp(6)}};
    group->scatter(piece, pieces, {.rootRank = 1})->wait();
    EXPECT_TRUE(at::equal(piece[0], ramp(5 + rank.rank())));
  });
}

TEST(RankThreads, ListsHaveATensorForEachMember) {
  run(kTwo, [](RankEnvironment& rank) {
    const auto group = rank.group("tp");
    std::vector<std::vector<at::Tensor>> inputs{{ramp(rank.rank()), ramp(rank.rank() + 2)}};
    std::vector<at::Tensor> sum{at::zeros({4}, at::kDouble)};
    group->reduce_scatter(sum, inputs)->wait();
    EXPECT_TRUE(at::equal(sum[0], ramp(2 * rank.rank()) + ramp(2 * rank.rank() + 1)));
    std::vector<at::Tensor> outputs{at::zeros({4}, at::kDouble), at::zeros({4}, at::kDouble)};
    group->alltoall(outputs, inputs[0])->wait();
    EXPECT_TRUE(at::equal(outputs[0], ramp(2 * rank.rank())));
    EXPECT_TRUE(at::equal(outputs[1], ramp(1 + 2 * rank.rank())));
  });
}

TEST(RankThreads, AMessageOfAnotherTagOrShapeIsAMismatch) {
  for (const bool tag : {false, true}) {
    const auto failure = run_rank_threads(
        kTwo, {.timeout = 20'000ms, .completion = {}}, [tag](RankEnvironment& rank) {
          std::vector<at::Tensor> tensors{at::zeros({tag ? 4 : 4 + rank.rank()}, at::kDouble)};
          const auto group = rank.group("tp");
          (rank.rank() == 0 ? group->send(tensors, 1, 0) : group->recv(tensors, 0, tag ? 1 : 0))
              ->wait();
        });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, RunFailure::Kind::kMismatch);
  }
}

TEST(RankThreads, FunctionalCollectivesFindTheGroupByName) {
  run(kTwo, [](RankEnvironment& rank) {
    const std::string name = rank.group("tp")->getGroupName();
    const auto all_reduce = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("_c10d_functional::all_reduce", "")
                                .typed<at::Tensor(const at::Tensor&, std::string, std::string)>();
    const auto wait = c10::Dispatcher::singleton()
                          .findSchemaOrThrow("_c10d_functional::wait_tensor", "")
                          .typed<at::Tensor(const at::Tensor&)>();
    EXPECT_TRUE(
        at::equal(wait.call(all_reduce.call(ramp(rank.rank()), "sum", name)), ramp(0) + ramp(1)));
  });
}

// LibTorch's barrier has a tensor that all threads of the process share: many at once broke the
// heap.
TEST(RankThreads, EveryBarrierHoldsAllRanksBack) {
  constexpr int kBarriers = 10000;
  std::atomic<int> arrived = 0;
  run(kRow, [&](RankEnvironment& rank) {
    for (int passed = 0; passed < kBarriers; ++passed) {
      ++arrived;
      rank.group("tp")->barrier()->wait();
      ASSERT_GE(arrived, 4 * (passed + 1));
    }
  });
  EXPECT_EQ(arrived, 4 * kBarriers);
}

TEST(RankThreads, ADelayedResultIsInPlaceOnlyAfterTheWait) {
  run(
      kTwo,
      [](RankEnvironment& rank) {
        std::vector<at::Tensor> tensors{ramp(rank.rank())};
        auto work = rank.group("tp")->allreduce(tensors);
        EXPECT_TRUE(at::equal(tensors[0], ramp(rank.rank()))) << "not yet";
        work->wait();
        EXPECT_TRUE(at::equal(tensors[0], ramp(0) + ramp(1)));
      },
      [](const CollectiveStart&) { return Completion::kAtWait; });
}

TEST(RankThreads, AnInputThatIsNotReadyGivesAWrongSum) {
  run(
      kTwo,
      [](RankEnvironment& rank) {
        std::vector<at::Tensor> tensors{at::full({4}, 1.0, at::kDouble)};
        rank.group("tp")->allreduce(tensors)->wait();
        EXPECT_EQ(tensors[0][0].item<double>(), 2);
        EXPECT_EQ(tensors[0][3].item<double>(), 1);
      },
      [](const CollectiveStart& call) {
        return call.rank == 1 ? Completion::kInputUnready : Completion::kAtOnce;
      });
}

TEST(RankThreads, DelaysAreTheSameForTheSameSeed) {
  auto draw = [](uint64_t seed) {
    std::vector<Completion> result;
    const CompletionHook hook = delayed_completion(seed);
    for (int64_t i = 0; i < 32; ++i) result.push_back(hook({0, "tp:0", "all_reduce", i}));
    return result;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
  EXPECT_THAT(draw(1), testing::Contains(Completion::kAtWait));
  EXPECT_THAT(draw(1), testing::Contains(Completion::kAtOnce));
}

TEST(RankThreads, AMissingRankIsNamedWithItsLastCollective) {
  const auto failure =
      run_rank_threads(kTwo, {.timeout = 200ms, .completion = {}}, [](RankEnvironment& rank) {
        std::vector<at::Tensor> tensors{ramp(0)};
        rank.group("tp")->allreduce(tensors)->wait();
        if (rank.rank() == 0) rank.group("tp")->allreduce(tensors)->wait();
      });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_EQ(failure->rank, 1);
  EXPECT_THAT(failure->message,
              testing::HasSubstr("rank 1 did not come (its last collective: all_reduce sum"));
}

TEST(RankThreads, DifferentCollectivesAreAMismatch) {
  const auto failure =
      run_rank_threads(kTwo, {.timeout = 20'000ms, .completion = {}}, [](RankEnvironment& rank) {
        std::vector<at::Tensor> tensors{at::zeros({4 + rank.rank()}, at::kDouble)};
        rank.group("tp")->allreduce(tensors)->wait();
      });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kMismatch);
}

TEST(RankThreads, ARankThatThrowsEndsTheOthers) {
  const auto failure =
      run_rank_threads(kTwo, {.timeout = 20'000ms, .completion = {}}, [](RankEnvironment& rank) {
        if (rank.rank() == 1) throw std::runtime_error("out of luck");
        std::vector<at::Tensor> tensors{ramp(0)};
        rank.group("tp")->allreduce(tensors)->wait();
      });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kError);
  EXPECT_EQ(failure->message, "rank 1: out of luck");
}

TEST(RankThreads, AStuckRankIsNamedAndLeftAlone) {
  auto release = std::make_shared<std::atomic<bool>>(false);
  const auto failure = run_rank_threads(kTwo, {.timeout = 200ms, .completion = {}},
                                        [release](RankEnvironment& rank) {
                                          while (rank.rank() == 1 && !*release)
                                            std::this_thread::sleep_for(1ms);
                                        });
  *release = true;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RunFailure::Kind::kTimeout);
  EXPECT_EQ(failure->rank, 1);
}

}  // namespace
}  // namespace assay
