#include "dynamic_check/execute/nccl_communicator.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(Nccl, IdsAreMadeWithoutAGpuAndDiffer) { EXPECT_NE(make_nccl_id(), make_nccl_id()); }

TEST(Nccl, ASumOverOneRankIsItsOwnInput) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const std::vector<float> input{1, 2, 3};
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, input.size() * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, input.data(), input.size() * sizeof(float), cudaMemcpyHostToDevice),
            cudaSuccess);
  NcclCommunicator communicator(make_nccl_id(), 0, 1);
  communicator.all_reduce_sum(static_cast<float*>(memory), static_cast<int64_t>(input.size()));
  std::vector<float> output(input.size());
  ASSERT_EQ(
      cudaMemcpy(output.data(), memory, output.size() * sizeof(float), cudaMemcpyDeviceToHost),
      cudaSuccess);
  cudaFree(memory);
  EXPECT_EQ(output, input);
}

}  // namespace
}  // namespace assay
