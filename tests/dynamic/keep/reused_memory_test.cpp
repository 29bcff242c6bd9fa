// Memory of tensors, used again within a check.
#include "dynamic_check/keep/reused_memory.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace assay {
namespace {

constexpr int64_t kLarge = 1 << 20;  // elements

at::Tensor make(int64_t elements, at::ScalarType type = at::kFloat) {
  return at::empty({elements}, type);
}

TEST(ReusedMemory, IsUsedAgain) {
  const ReusedMemory memory;
  const void* const first = make(kLarge).const_data_ptr();
  EXPECT_EQ(make(kLarge).const_data_ptr(), first);
}

// What nobody writes must not be right by chance, as the value of the run before is.
TEST(ReusedMemory, IsFilledWithNaN) {
  const ReusedMemory memory;
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    at::full({kLarge}, 1, type);
    EXPECT_TRUE(make(kLarge, type).isnan().all().item<bool>()) << c10::toString(type);
  }
  at::full({kLarge}, 1, at::kLong);
  EXPECT_TRUE(make(kLarge, at::kLong).eq(-1).all().item<bool>());
}

// Large and small ones, by as many threads as kernels have.
TEST(ReusedMemory, IsFilledToItsLastByte) {
  const ReusedMemory memory;
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  for (const int64_t elements : {20'000, 131'072, 131'073, 1'000'003, 20'000'000}) {
    at::full({elements}, 1.0f);
    EXPECT_TRUE(make(elements).isnan().all().item<bool>()) << elements;
  }
  at::set_num_threads(threads);
}

// Filling takes time that only a program's run is worth, on whichever threads that is.
TEST(ReusedMemory, IsLeftAsItIsOnThreadsThatDoNotRunPrograms) {
  const ReusedMemory memory;
  const UnfilledMemory unfilled;
  at::full({kLarge}, 1.0f);
  EXPECT_TRUE(make(kLarge).eq(1).all().item<bool>());
  std::thread program([] { EXPECT_TRUE(make(kLarge).isnan().all().item<bool>()); });
  program.join();
}

TEST(ReusedMemory, IsFilledAgainAfterwards) {
  const ReusedMemory memory;
  at::full({kLarge}, 1.0f);
  { const UnfilledMemory unfilled; }
  EXPECT_TRUE(make(kLarge).isnan().all().item<bool>());
}

// The next check of the process gets what the one before had.
TEST(ReusedMemory, IsUsedAgainByTheNext) {
  const void* first = nullptr;
  {
    const ReusedMemory memory;
    first = make(kLarge).const_data_ptr();
  }
  const ReusedMemory next;
  EXPECT_EQ(make(kLarge).const_data_ptr(), first);
}

TEST(ReusedMemory, HoldsTensorsThatOutliveIt) {
  at::Tensor tensor;
  {
    const ReusedMemory memory;
    tensor = at::full({kLarge}, 3.0f);
  }
  EXPECT_TRUE(tensor.eq(3).all().item<bool>());
  tensor.mul_(2);
  EXPECT_TRUE(tensor.eq(6).all().item<bool>());
  tensor.reset();
  const at::Tensor outside = at::full({kLarge}, 1.0f);
  const ReusedMemory again;
  EXPECT_TRUE(at::full({kLarge}, 1.0f).equal(outside));
}

// Tensors of all sizes at once, of several threads, never share memory.
TEST(ReusedMemory, BelongsToOneTensorAtATime) {
  const ReusedMemory memory;
  const auto work = [](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<at::Tensor, float>> held;
    for (int step = 0; step < 400; ++step) {
      if (held.size() > 20 || (!held.empty() && random() % 3 == 0)) {
        const size_t index = random() % held.size();
        ASSERT_TRUE(held[index].first.eq(held[index].second).all().item<bool>());
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
      }
      const auto value = static_cast<float>(random() % 1000);
      const auto elements = static_cast<int64_t>(random() % (1 << (4 + random() % 16)) + 1);
      held.emplace_back(at::full({elements}, value), value);
    }
    for (const auto& [tensor, value] : held) ASSERT_TRUE(tensor.eq(value).all().item<bool>());
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
}

// More than one segment, and neighbours that are joined again.
TEST(ReusedMemory, IsJoinedWhenItIsFree) {
  const ReusedMemory memory;
  constexpr int64_t kSixteenMega = 4 << 20;
  const void* begin = nullptr;
  {
    std::vector<at::Tensor> all;
    for (int i = 0; i < 4; ++i) all.push_back(make(kSixteenMega));
    begin = all.front().const_data_ptr();
    std::swap(all[0], all[2]);
  }
  EXPECT_EQ(make(4 * kSixteenMega).const_data_ptr(), begin);
}

}  // namespace
}  // namespace assay
