// Collectives of rank threads whose tensors are on a GPU.
#include "dynamic_check/run/execute/threads/rank_threads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "dynamic_check/cuda/gpus.h"
#include "tests/support/gpu.h"

namespace assay {
namespace {

at::Tensor ramp(Rank rank) { return at::arange(4, at::kDouble) + 10 * rank; }

TEST(RankThreadsOnGpu, TensorsGoByWayOfTheHost) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  for (const Completion completion : {Completion::kAtOnce, Completion::kAtWait}) {
    const auto failure = run_rank_threads(
        Mesh({{"tp", 2}}),
        {.timeout = std::chrono::seconds(20),
         .device = at::kCUDA,
         .completion = [completion](const CollectiveStart&) { return completion; }},
        [](RankEnvironment& rank) {
          std::vector<at::Tensor> tensors{ramp(rank.rank()).to(at::kCUDA)};
          const auto work = rank.group("tp")->allreduce(tensors);
          work->wait();
          EXPECT_TRUE(tensors[0].is_cuda());
          EXPECT_TRUE(at::equal(tensors[0].cpu(), ramp(0) + ramp(1)));
        });
    EXPECT_FALSE(failure) << failure->message;
  }
}

}  // namespace
}  // namespace assay
