// Kernels on a GPU, against the CPU's.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

#include "dynamic_check/cuda/block_sums.h"
#include "dynamic_check/cuda/gpus.h"
#include "dynamic_check/numbers/norms.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/rounding.h"
#include "tests/support/gpu.h"

namespace assay {
namespace {

#define NEED_GPU ASSAY_NEED_GPU(cuda::has_kernels() && usable_gpus() > 0)

constexpr at::ScalarType kTypes[] = {at::kDouble, at::kFloat,         at::kBFloat16,
                                     at::kHalf,   at::kFloat8_e4m3fn, at::kFloat8_e5m2};

// Norms of differences, and of the first alone, are those of the same numbers in float64.
void expect_same_as_cpu(const at::Tensor& a, const at::Tensor& b) {
  const Norms cpu = difference_norms(a.cpu().to(at::kDouble), b.cpu().to(at::kDouble));
  const Norms gpu = difference_norms(a, b);
  ASSERT_EQ(cpu.blocks.size(), gpu.blocks.size());
  EXPECT_EQ(cpu.finite, gpu.finite);
  for (size_t i = 0; i < cpu.blocks.size(); ++i)
    EXPECT_NEAR(cpu.blocks[i], gpu.blocks[i], 1e-6 * cpu.blocks[i]) << i;
  EXPECT_NEAR(cpu.whole, gpu.whole, 1e-6 * cpu.whole);
  const Norms alone = norms_of(a.cpu().to(at::kDouble)), alone_gpu = norms_of(a);
  EXPECT_NEAR(alone.whole, alone_gpu.whole, 1e-6 * alone.whole);
  EXPECT_EQ(all_finite(a.cpu().to(at::kDouble)), all_finite(a));
  EXPECT_EQ(special_mismatches(a.cpu().to(at::kDouble), b.cpu().to(at::kDouble)),
            special_mismatches(a, b));
}

at::Tensor on_gpu(const char* name, const Shape& shape, at::ScalarType dtype) {
  return normal_tensor({1, name}, shape).to(dtype).to(at::kCUDA);
}

TEST(Gpu, NormsAreThoseOfTheCpu) {
  NEED_GPU;
  for (const at::ScalarType a : kTypes)
    for (const at::ScalarType b : kTypes)
      for (const int64_t rows : {0, 1, 3, 1000}) {
        SCOPED_TRACE(testing::Message() << a << " " << b << " " << rows);
        expect_same_as_cpu(on_gpu("a", {rows, 37}, a), on_gpu("b", {rows, 37}, b));
      }
}

TEST(Gpu, NormsOfStridedAndMisalignedTensorsAreThoseOfTheCpu) {
  NEED_GPU;
  for (const at::ScalarType dtype : kTypes) {
    SCOPED_TRACE(testing::Message() << dtype);
    const at::Tensor a = on_gpu("a", {301, 257}, dtype), b = on_gpu("b", {301, 257}, dtype);
    expect_same_as_cpu(a.t(), b.t());
    expect_same_as_cpu(a.slice(1, 1, 250, 3), b.slice(1, 2, 251, 3));
    for (const int64_t skipped : {1, 2, 3, 5, 7}) {
      const int64_t left = a.numel() - 7;
      expect_same_as_cpu(a.flatten().narrow(0, skipped, left), b.flatten().narrow(0, 0, left));
      expect_same_as_cpu(a.flatten().narrow(0, skipped, left),
                         b.flatten().narrow(0, skipped, left));
    }
    expect_same_as_cpu(a.narrow(0, 0, 1).expand({20, 257}), b.narrow(0, 0, 20));
  }
}

TEST(Gpu, WhatIsNotFiniteIsSeenAnywhere) {
  NEED_GPU;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const double special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      for (const int64_t place : {0, 1, 63, 4096, 69'999}) {
        at::Tensor a = on_gpu("a", {70'000}, dtype), b = a.clone();
        a[place] = special;
        expect_same_as_cpu(a, b);
        EXPECT_EQ(special_mismatches(a, b), 1);
        b[place] = special;
        expect_same_as_cpu(a, b);
        EXPECT_EQ(special_mismatches(a, b), 0);
      }
    }
  }
}

TEST(Gpu, EqualInputsGiveEqualBits) {
  NEED_GPU;
  const at::Tensor a = on_gpu("a", {3'000'000}, at::kBFloat16);
  const at::Tensor b = on_gpu("b", {3'000'000}, at::kBFloat16);
  const Norms first = difference_norms(a, b);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(difference_norms(a, b).blocks, first.blocks);
}

// 2^31 elements and more: places that leave 32 bits.
TEST(Gpu, TensorsOfMoreThan31BitsOfElementsAreReadToTheirEnd) {
  NEED_GPU;
  for (const int64_t count : {(int64_t{1} << 31) - 1, int64_t{1} << 31, (int64_t{1} << 31) + 77}) {
    const auto options = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
    at::Tensor a = at::zeros({count}, options), b = at::zeros({count}, options);
    a[count - 1] = 3;
    a[count / 2] = 4;
    const Norms norms = difference_norms(a, b);
    EXPECT_EQ(norms.whole, 5);
    EXPECT_EQ(norms.blocks.back(), 3);
    b[count - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(special_mismatches(a, b), 1);
    EXPECT_FALSE(all_finite(b));
    perturb(a, 0x1p-8, {1, "noise"});
    EXPECT_NEAR(difference_norms(a, at::zeros_like(a)).whole, 5, 0.1);
  }
}

TEST(Gpu, NoiseIsThatOfTheCpuBitForBit) {
  NEED_GPU;
  for (const at::ScalarType dtype : kTypes) {
    for (const int64_t count : {1, 5, 100'003}) {
      const at::Tensor in = normal_tensor({5, "in"}, {count}).to(dtype);
      const RandomKey key{9, "noise"};
      const at::Tensor cpu = perturbed(in, 0x1p-7, key);
      const at::Tensor gpu = perturbed(in.to(at::kCUDA), 0x1p-7, key);
      EXPECT_TRUE(gpu.is_cuda());
      EXPECT_TRUE(at::equal(cpu.to(at::kDouble), gpu.cpu().to(at::kDouble))) << dtype;
      at::Tensor in_place = in.to(at::kCUDA);
      perturb(in_place, 0x1p-7, key);
      EXPECT_TRUE(at::equal(cpu.to(at::kDouble), in_place.cpu().to(at::kDouble))) << dtype;
    }
  }
}

}  // namespace
}  // namespace assay
