// Reductions of tensors are what LibTorch's operators compute, to the last bit.
#include "dynamic_check/run/interpret/reduce_members.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamic_check/keep/tensor_buffer.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "tests/dynamic/support/number_oracle.h"

namespace assay {
namespace {

at::Tensor random_tensor(DType dtype, uint64_t seed) {
  const Shape shape{7, 33};
  const StridedBuffer buffer = test::random_buffer(dtype, shape, seed);
  return at::from_blob(buffer.owned.get(), shape, at::TensorOptions(to_scalar_type(dtype))).clone();
}

at::Tensor step(Reduction reduction, const at::Tensor& a, const at::Tensor& b) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAverage:
      return a + b;
    case Reduction::kProduct:
      return a * b;
    case Reduction::kMin:
      return at::minimum(a, b);
    case Reduction::kMax:
      return at::maximum(a, b);
  }
  throw InternalError("unknown reduction");
}

// Which no number is does not matter.
std::vector<std::optional<uint64_t>> bits_of_numbers(const at::Tensor& tensor) {
  const StridedBuffer buffer = buffer_of(tensor);
  std::vector<std::optional<uint64_t>> result;
  for (const uint64_t bits : test::bits_of(buffer)) {
    const bool none = is_floating(buffer.dtype) && std::isnan(test::value_of(buffer.dtype, bits));
    result.push_back(none ? std::nullopt : std::optional(bits));
  }
  return result;
}

class ReducedTensors : public testing::TestWithParam<DType> {};

TEST_P(ReducedTensors, AreWhatOperatorsComputeOneMemberAfterTheOther) {
  const DType dtype = GetParam();
  for (const Reduction reduction : test::kReductions) {
    if (reduction == Reduction::kAverage && !is_floating(dtype)) continue;
    std::vector<at::Tensor> members;
    for (uint64_t seed = 0; seed < 3; ++seed) members.push_back(random_tensor(dtype, seed));
    at::Tensor expected = step(reduction, step(reduction, members[0], members[1]), members[2]);
    if (reduction == Reduction::kAverage) expected.div_(3);
    const at::Tensor reduced = reduce_members(reduction, members);
    EXPECT_TRUE(test::has_bits(buffer_of(reduced), bits_of_numbers(expected)))
        << to_string(reduction);
  }
}

// Types for which LibTorch's CPU kernels add, multiply and compare.
INSTANTIATE_TEST_SUITE_P(EveryType, ReducedTensors,
                         testing::Values(DType::kBool, DType::kUint8, DType::kInt8, DType::kInt16,
                                         DType::kInt32, DType::kInt64, DType::kFloat16,
                                         DType::kBFloat16, DType::kFloat32, DType::kFloat64),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(ReducedTensors, AreLaidOutAsTheFirstMember) {
  const at::Tensor a = random_tensor(DType::kInt32, 1).t(), b = random_tensor(DType::kInt32, 2).t();
  const at::Tensor members[] = {a, b};
  const at::Tensor sum = reduce_members(Reduction::kSum, members);
  EXPECT_EQ(sum.strides(), a.strides());
  EXPECT_TRUE(sum.equal(a + b));
}

}  // namespace
}  // namespace assay
