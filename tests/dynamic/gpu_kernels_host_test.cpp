// What kernels of the GPU do, tried on the host: every thread of a launch by itself, with the grid
// that the launch would have.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "dynamic_check/cuda/block_sums_kernel.h"
#include "dynamic_check/cuda/noise_kernel.h"
#include "dynamic_check/numbers/norms.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/rounding.h"

namespace assay::cuda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
constexpr at::ScalarType scalar_type();
template <>
constexpr at::ScalarType scalar_type<double>() {
  return at::kDouble;
}
template <>
constexpr at::ScalarType scalar_type<float>() {
  return at::kFloat;
}
template <>
constexpr at::ScalarType scalar_type<BFloat16>() {
  return at::kBFloat16;
}
template <>
constexpr at::ScalarType scalar_type<Float16>() {
  return at::kHalf;
}
template <>
constexpr at::ScalarType scalar_type<Float8E4M3>() {
  return at::kFloat8_e4m3fn;
}
template <>
constexpr at::ScalarType scalar_type<Float8E5M2>() {
  return at::kFloat8_e5m2;
}

template <typename T>
const T* elements_of(const at::Tensor& tensor) {
  return static_cast<const T*>(tensor.const_data_ptr());
}

// What the launch gives for one block of the tensor.
template <typename T, typename U>
BlockSums launched(const T* a, const U* b, const NormsPlan& plan, int64_t block) {
  BlockSums sums;
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
    for (int thread = 0; thread < kNormThreads; ++thread)
      add(sums, thread_sums(a, b, plan, block, chunk, thread));
  return sums;
}

// Whole tensors of `count` elements, the first `skipped` of their memory left out.
template <typename T, typename U>
void expect_same_as_cpu(int64_t count, int64_t skipped_a, int64_t skipped_b) {
  const auto made = [](const char* name, int64_t elements, at::ScalarType dtype) {
    return normal_tensor({1, name}, {elements}).to(dtype);
  };
  at::Tensor a = made("a", count + skipped_a, scalar_type<T>()).narrow(0, skipped_a, count);
  at::Tensor b = made("b", count + skipped_b, scalar_type<U>()).narrow(0, skipped_b, count);
  const at::Tensor wide_a = a.to(at::kDouble), wide_b = b.to(at::kDouble);
  const Norms cpu = difference_norms(wide_a, wide_b);
  const NormsPlan plan = plan_norms(count, block_size(count), kPerVector<T, U>);
  ASSERT_EQ(plan.blocks, static_cast<int64_t>(cpu.blocks.size()));
  for (int64_t block = 0; block < plan.blocks; ++block) {
    const BlockSums sums = launched(elements_of<T>(a), elements_of<U>(b), plan, block);
    const double norm = cpu.blocks[static_cast<size_t>(block)];
    EXPECT_NEAR(std::sqrt(sums.squares), norm, 1e-6 * norm)
        << scalar_type<T>() << " " << scalar_type<U>() << " " << count << " " << block;
    EXPECT_EQ(sums.not_finite, 0);
  }
}

template <typename T>
void expect_same_as_cpu(int64_t count) {
  for (const int64_t skipped : {0, 1, 3}) {
    expect_same_as_cpu<T, T>(count, skipped, skipped);
    expect_same_as_cpu<T, T>(count, 0, skipped);  // no vector starts in both
    expect_same_as_cpu<T, double>(count, skipped, 0);
  }
}

TEST(GpuKernelsOnTheHost, NormsAreThoseOfTheCpuForEveryTypeSizeAndAlignment) {
  for (const int64_t count : {1, 15, 64, 65, 1000, 4099, 70'001}) {
    expect_same_as_cpu<double>(count);
    expect_same_as_cpu<float>(count);
    expect_same_as_cpu<BFloat16>(count);
    expect_same_as_cpu<Float16>(count);
    expect_same_as_cpu<Float8E4M3>(count);
    expect_same_as_cpu<Float8E5M2>(count);
  }
}

// No element is another one's: sums of the squares of 1, 2, 3, ... are exact. Few blocks have as
// many vectors to a thread as are loaded at once: here a block of the whole tensor.
TEST(GpuKernelsOnTheHost, EveryElementIsAddedOnce) {
  for (const int64_t count : {1, 63, 1025, 200'003}) {
    for (const int64_t skipped : {0, 1, 2, 3}) {
      const at::Tensor numbers = at::arange(1 - skipped, count + 1, at::kFloat);
      const float* first = elements_of<float>(numbers) + skipped;
      for (const int64_t size : {block_size(count), count}) {
        const NormsPlan plan = plan_norms(count, size, kPerVector<float, Nothing>);
        double sum = 0;
        for (int64_t block = 0; block < plan.blocks; ++block)
          sum += launched(first, static_cast<const Nothing*>(nullptr), plan, block).squares;
        EXPECT_EQ(sum, static_cast<double>(count * (count + 1) * (2 * count + 1) / 6));
      }
    }
  }
}

TEST(GpuKernelsOnTheHost, WhatIsNotFiniteIsLeftOutAndCounted) {
  for (const int64_t at : {0, 1, 40, 4095, 4999}) {
    at::Tensor a = normal_tensor({1, "a"}, {5000}).to(at::kFloat), b = a.clone();
    const auto count_of = [&] {
      BlockSums sums;
      const NormsPlan plan = plan_norms(5000, block_size(5000), kPerVector<float, float>);
      for (int64_t block = 0; block < plan.blocks; ++block)
        add(sums, launched(elements_of<float>(a), elements_of<float>(b), plan, block));
      EXPECT_EQ(sums.squares, 0);
      EXPECT_EQ(sums.mismatches, special_mismatches(a, b));
      return sums.not_finite;
    };
    EXPECT_EQ(count_of(), 0);
    a[at] = kInfinity;
    EXPECT_EQ(count_of(), 1);
    b[at] = kInfinity;
    EXPECT_EQ(count_of(), 1);
    b[at] = -kInfinity;
    EXPECT_EQ(count_of(), 1);
    a[at] = kNan;
    EXPECT_EQ(count_of(), 1);
    b[at] = kNan;
    EXPECT_EQ(count_of(), 1);
  }
}

TEST(GpuKernelsOnTheHost, NanIsNotFiniteWhateverItCarries) {
  for (const char* payload : {"0", "1", "0x7ffffffffffff"}) {
    EXPECT_FALSE(is_finite(std::nan(payload)));
    EXPECT_FALSE(is_finite(-std::nan(payload)));
  }
  EXPECT_TRUE(is_finite(std::numeric_limits<double>::max()));
  EXPECT_TRUE(is_finite(std::numeric_limits<double>::denorm_min()));
}

TEST(GpuKernelsOnTheHost, SquaresBeyondTheRangeAreNoMismatch) {
  at::Tensor a = at::empty({2}, at::kDouble).fill_(1e200), b = at::empty({2}, at::kDouble).fill_(0);
  const NormsPlan plan = plan_norms(2, 2, kPerVector<double, double>);
  const BlockSums sums = launched(elements_of<double>(a), elements_of<double>(b), plan, 0);
  EXPECT_EQ(sums.squares, kInfinity);
  EXPECT_EQ(sums.not_finite, 0);
  EXPECT_EQ(sums.mismatches, 0);
}

// A grid has at most 65,535 blocks in its second dimension, and 2^31 - 1 in its first.
TEST(GpuKernelsOnTheHost, GridsCoverEverySizeWithinTheirLimits) {
  for (const int64_t count : {int64_t{1}, int64_t{64}, int64_t{1} << 20, (int64_t{1} << 31) - 1,
                              int64_t{1} << 31, (int64_t{1} << 31) + 1, (int64_t{1} << 40) + 7}) {
    for (const int per_vector : {2, 4, 8, 16}) {
      const NormsPlan plan = plan_norms(count, block_size(count), per_vector);
      EXPECT_LE(plan.blocks, kMaxNormBlocks);
      EXPECT_LE(plan.chunks, kMaxChunks);
      EXPECT_GE(plan.chunks, 1);
      EXPECT_GE(plan.chunks * plan.chunk, plan.block);
      EXPECT_GE(plan.blocks * plan.block, count);
      EXPECT_LT((plan.blocks - 1) * plan.block, count);
      EXPECT_EQ(plan.chunk % (kNormThreads * per_vector), 0);
    }
  }
}

// A block of more than 2^31 elements: the last thread of the last chunk adds what lies there.
TEST(GpuKernelsOnTheHost, PlacesBeyond32BitsAreReached) {
  constexpr int64_t kCount = (int64_t{1} << 38) + 5;
  const NormsPlan plan = plan_norms(kCount, block_size(kCount), 16);
  const int64_t begin = 63 * plan.block + (plan.chunks - 1) * plan.chunk;
  EXPECT_GT(begin, int64_t{1} << 37);
  EXPECT_LT(begin, kCount);
}

template <typename T, typename Bits>
void expect_converted_as_by_torch() {
  constexpr int64_t kValues = int64_t{1} << (8 * sizeof(Bits));
  at::Tensor bits = at::empty({kValues}, scalar_type<T>());
  auto* raw = static_cast<Bits*>(bits.mutable_data_ptr());
  for (int64_t i = 0; i < kValues; ++i) raw[i] = static_cast<Bits>(i);
  const at::Tensor wide = bits.to(at::kFloat);
  for (int64_t i = 0; i < kValues; ++i) {
    const float expected = wide.const_data_ptr<float>()[i];
    const float own = to_float(T{static_cast<Bits>(i)});
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(own)) << scalar_type<T>() << " " << i;
    else
      EXPECT_EQ(bits_as<uint32_t>(own), bits_as<uint32_t>(expected))
          << scalar_type<T>() << " " << i;
  }
}

TEST(GpuKernelsOnTheHost, EveryNumberOfTheSmallTypesIsReadAsByTorch) {
  expect_converted_as_by_torch<BFloat16, uint16_t>();
  expect_converted_as_by_torch<Float16, uint16_t>();
  expect_converted_as_by_torch<Float8E4M3, uint8_t>();
  expect_converted_as_by_torch<Float8E5M2, uint8_t>();
}

TEST(GpuKernelsOnTheHost, NumbersAreRoundedAsByTorch) {
  std::vector<float> numbers = {0.0f,     -0.0f,    65504.0f,   65519.9f,   65520.0f, 65536.0f,
                                0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1.8p-24f, 0x1p-14f, 1.0f};
  for (uint64_t i = 0; i < 200'000; ++i) {
    const uint32_t bits = static_cast<uint32_t>(mixed(i));
    numbers.push_back(bits_as<float>(bits));                                // anything
    numbers.push_back(bits_as<float>((bits & 0x8fffffffu) | 0x30000000u));  // of moderate size
  }
  const at::Tensor wide = at::empty({static_cast<int64_t>(numbers.size())}, at::kFloat);
  std::memcpy(wide.mutable_data_ptr(), numbers.data(), numbers.size() * sizeof(float));
  const at::Tensor half = wide.to(at::kHalf), brain = wide.to(at::kBFloat16);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i])) continue;
    EXPECT_EQ(to_float16(numbers[i]).bits, elements_of<Float16>(half)[i].bits) << numbers[i];
    EXPECT_EQ(to_bfloat16(numbers[i]).bits, elements_of<BFloat16>(brain)[i].bits) << numbers[i];
  }
}

template <typename T>
void expect_same_noise(double relative) {
  for (const int64_t count : {1, 3, 4, 1001}) {
    at::Tensor in = normal_tensor({5, "in"}, {count}).to(scalar_type<T>());
    if (count > 3) in[2] = kInfinity;
    if (count > 3) in[3] = 0;
    const RandomKey key{9, "noise"};
    const at::Tensor cpu = perturbed(in, relative, key);
    std::vector<T> own(static_cast<size_t>(count));
    for (const int64_t threads : {noise_blocks(count) * kNoiseThreads, int64_t{3}})
      for (int64_t thread = 0; thread < threads; ++thread)
        add_noise(elements_of<T>(in), own.data(), count, thread, threads, relative,
                  RoundingNoise(key).start());
    EXPECT_EQ(std::memcmp(own.data(), cpu.const_data_ptr(), cpu.nbytes()), 0)
        << scalar_type<T>() << " " << count;
  }
}

TEST(GpuKernelsOnTheHost, NoiseIsThatOfTheCpuBitForBit) {
  expect_same_noise<double>(0x1p-53);
  expect_same_noise<float>(0x1p-24);
  expect_same_noise<BFloat16>(0x1p-8);
  expect_same_noise<Float16>(0x1p-11);
}

TEST(GpuKernelsOnTheHost, NoiseHasAGridForEverySize) {
  EXPECT_EQ(noise_blocks(1), 1);
  EXPECT_EQ(noise_blocks(kDrawn * kNoiseThreads), 1);
  EXPECT_EQ(noise_blocks(kDrawn * kNoiseThreads + 1), 2);
  EXPECT_EQ(noise_blocks(int64_t{1} << 40), 1 << 16);
}

}  // namespace
}  // namespace assay::cuda
