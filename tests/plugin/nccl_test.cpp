// Ranks as processes that communicate by NCCL, each on a GPU of its own.
#include <ATen/ops/mm.h>
#include <assay/gtest.h>
#include <gmock/gmock.h>

#include "dynamic_check/cuda/gpus.h"
#include "dynamic_check/run/execute/process_executor.h"
#include "tests/support/gpu.h"

namespace assay {
namespace {

TEST(Nccl, RanksWithoutAGpuOfTheirOwnAreSaidAndSkipped) {
  EXPECT_EQ(missing_devices("nccl", Mesh()).empty(),
            missing_devices("nccl", Mesh({{"tp", 1}})).empty());
  EXPECT_THAT(missing_devices("nccl", Mesh({{"tp", 1000}})),
              testing::HasSubstr("this test needs 1000 GPUs for nccl, and there are "));
  EXPECT_EQ(missing_devices("gloo", Mesh({{"tp", 1000}})), "");
}

class OnNccl : public RefinementTest {
 protected:
  void SetUp() override { options().executor = ExecutorKind::kNccl; }

  void row_parallel(int64_t ranks) {
    auto x = input("x", {8, 64}, Shard("tp", 1));
    auto w = weight("w", {64, 32}, Shard("tp", 0));
    sequential([&](Program& p) { p.output("y", at::mm(p[x], p[w])); });
    distributed({{"tp", ranks}},
                [&](Program& p) { p.output("y", p.all_reduce(at::mm(p[x], p[w]), "tp")); });
  }
};

TEST_REFINEMENT_F(OnNccl, OneRankIsItsOwnSum) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  row_parallel(1);
}

TEST_REFINEMENT_F(OnNccl, TwoRanksAddUp) { row_parallel(2); }

}  // namespace
}  // namespace assay
