// Whole checks whose programs run on a GPU.
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <assay/gtest.h>

#include "dynamic_check/cuda/gpus.h"
#include "fixtures/specs.h"
#include "tests/gpu/on_gpu.h"
#include "tests/support/gpu.h"

namespace assay {
namespace {

class BlockOnGpu : public testing::TestWithParam<DType> {
 protected:
  static CaseReport check(fixtures::Bug bug) {
    fixtures::TransformerConfig config;
    config.ranks = 4;
    config.sequence_parallel = true;
    config.bug = bug;
    return check_refinement(fixtures::block_spec(config), test::on_gpu({GetParam()}));
  }
};

TEST_P(BlockOnGpu, ARightOnePasses) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  const CaseReport report = check(fixtures::Bug::kNone);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST_P(BlockOnGpu, AMissingReductionIsFound) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  const CaseReport report = check(fixtures::Bug::kNormGradientNotReduced);
  EXPECT_EQ(report.exit, 1) << to_text(report);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->verdict, RunVerdict::kDeviates) << to_text(report);
}

INSTANTIATE_TEST_SUITE_P(All, BlockOnGpu,
                         testing::Values(DType::kFloat64, DType::kFloat32, DType::kBFloat16,
                                         DType::kFloat16, DType::kFloat8E4M3, DType::kFloat8E5M2),
                         [](const auto& precision) {
                           return std::string(to_string(precision.param));
                         });

TEST_REFINEMENT(OnGpu, AsTheOptionsSay) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  options().device = "cuda";
  auto x = input("x", {8, 64});
  auto up = weight("up", {256, 64}, Shard("tp", 0));
  auto down = weight("down", {64, 256}, Shard("tp", 1));
  const auto forward = [=](Program& p) {
    const at::Tensor hidden = p[x];
    EXPECT_FALSE(hidden.is_cpu());
    return at::mm(at::gelu(at::mm(hidden, p[up].t())), p[down].t());
  };
  sequential([=](Program& p) { p.output("y", forward(p)); });
  distributed({{"tp", 2}}, [=](Program& p) { p.output("y", p.all_reduce(forward(p), "tp")); });
}

// A CPU and a GPU hold the reference together.
TEST_REFINEMENT(ReferenceStages, OfACpuAndAGpu) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  options().reference_stages = {"cpu", "cuda:0"};
  auto x = input("x", {8, 64});
  auto up = weight("up", {256, 64}, Shard("tp", 0));
  auto down = weight("down", {64, 256}, Shard("tp", 1));
  const auto forward = [=](Program& p) {
    return at::mm(at::gelu(at::mm(p[x], p[up].t())), p[down].t());
  };
  sequential([=](Program& p) { p.output("y", forward(p)); });
  distributed({{"tp", 2}}, [=](Program& p) { p.output("y", p.all_reduce(forward(p), "tp")); });
}

}  // namespace
}  // namespace assay
