// What a check keeps goes to files beyond a budget, and is the same there.
#include "dynamic_check/keep/kept_copy.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "dynamic_check/check.h"
#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/judge/references.h"
#include "dynamic_check/keep/machine_memory.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/relate/targets.h"
#include "shared_ir/base/error.h"
#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

// Restores the budget.
class KeptCopy : public testing::Test {
 protected:
  ~KeptCopy() override { set_copy_memory(before_); }

 private:
  int64_t before_ = copy_memory();
};

int64_t own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return 1024 * std::stoll(line.substr(8));
  return 0;
}

// Where there is no folder for files, only copies in memory can be made.
class NoFolder {
 public:
  NoFolder() { setenv("TMPDIR", "/nowhere", 1); }
  ~NoFolder() { had_ ? setenv("TMPDIR", before_.c_str(), 1) : unsetenv("TMPDIR"); }

 private:
  const bool had_ = std::getenv("TMPDIR") != nullptr;
  const std::string before_ = had_ ? std::getenv("TMPDIR") : "";
};

TEST_F(KeptCopy, IsTheSameInMemoryAndInAFile) {
  const at::Tensor tensor = normal_tensor({1, "x"}, {300, 200}).to(at::kFloat).t();
  for (const int64_t budget : {int64_t{1} << 30, int64_t{0}}) {
    set_copy_memory(budget);
    const at::Tensor copy = kept_copy(tensor);
    EXPECT_TRUE(at::equal(copy, tensor));
    EXPECT_EQ(copy.strides(), tensor.strides()) << "kernels may depend on it";
    EXPECT_EQ(copy.scalar_type(), at::kFloat);
  }
}

TEST_F(KeptCopy, DoesNotChangeWithItsOriginalAndMayBeWritten) {
  set_copy_memory(0);
  at::Tensor tensor = at::full({100'000}, 3.0);
  at::Tensor copy = kept_copy(tensor);
  tensor.fill_(5);
  EXPECT_EQ(copy.sum().item<double>(), 300'000);
  copy.fill_(1);
  EXPECT_EQ(copy.sum().item<double>(), 100'000);
}

TEST_F(KeptCopy, IsNoneOfWhatHasItsMemoryAlone) {
  set_copy_memory(1 << 30);
  const at::Tensor alone = at::full({100'000}, 3.0);
  EXPECT_EQ(kept(alone).const_data_ptr(), alone.const_data_ptr());
  const at::Tensor shared = at::full({2, 50'000}, 3.0), view = shared.view(-1);
  EXPECT_NE(kept(view).const_data_ptr(), view.const_data_ptr()) << "another may be written";
  const at::AutoDispatchBelowADInplaceOrView no_base;  // autograd's views hold the whole
  const at::Tensor part = at::full({2, 50'000}, 3.0).select(0, 0);
  ASSERT_EQ(part.storage().use_count(), 1u);
  EXPECT_NE(kept(part).const_data_ptr(), part.const_data_ptr()) << "the rest would stay";
  set_copy_memory(0);
  const at::Tensor in_file = kept(alone);
  EXPECT_NE(in_file.const_data_ptr(), alone.const_data_ptr());
  EXPECT_TRUE(at::equal(in_file, alone));
}

TEST_F(KeptCopy, GivesBackTheMemoryOfWhatWasNotCopied) {
  const NoFolder none;
  set_copy_memory(1 << 20);
  for (int i = 0; i < 8; ++i) EXPECT_NO_THROW(kept(at::full({100'000}, 3.0))) << "tensor " << i;
}

TEST_F(KeptCopy, TakesNoMemoryBeyondTheBudget) {
  constexpr int64_t kBudget = 8 << 20, kAll = 64 << 20;
  set_copy_memory(kBudget);
  const at::Tensor tensor = at::full({1 << 18}, 1.0f);
  const int64_t before = own_memory();
  if (before == 0) GTEST_SKIP() << "no /proc/self/status";
  std::vector<at::Tensor> copies;
  for (int64_t kept = 0; kept < kAll; kept += 1 << 20) copies.push_back(kept_copy(tensor));
  EXPECT_LT(own_memory() - before, kBudget + (4 << 20));
  for (const at::Tensor& copy : copies) EXPECT_TRUE(at::equal(copy, tensor));
  EXPECT_LT(own_memory() - before, kBudget + (4 << 20)) << "read again";
}

TEST(MachineMemory, CopiesTakeAnEighthAndAlwaysSome) {
  constexpr int64_t kMega = 1 << 20;
  EXPECT_GT(machine_memory(), 64 * kMega);
  EXPECT_LE(machine_memory(), int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
  EXPECT_EQ(default_copy_memory(), std::max(256 * kMega, machine_memory() / 8));
}

TEST_F(KeptCopy, MemoryOfCopiesThatAreGoneIsFree) {
  const at::Tensor megabyte = at::full({1 << 18}, 1.0f);
  const NoFolder none;
  set_copy_memory(3 << 20);
  for (int i = 0; i < 8; ++i) EXPECT_NO_THROW(kept_copy(megabyte)) << "copy " << i;
  set_copy_memory(0);
  EXPECT_THROW(kept_copy(megabyte), UserError);
}

// What a stage holds goes with its last reader, and none of it stays for the comparison.
TEST_F(KeptCopy, IsWhatReferenceStagesLeaveOfTheirExactValues) {
  const test::Mlp mlp = test::make_mlp({.tokens = 64, .hidden = 256, .inner = 512});
  const DynamicOptions options{.samples = 3, .reference_stages = {"cpu", "cpu"}};
  const Targets targets = make_targets(mlp.refinement, mlp.relations);
  const RunInputs inputs =
      make_run_inputs(mlp.refinement, mlp.programs.inputs, {}, options.precision, options.seed);
  const auto references = [&] {
    return make_references(mlp.refinement, targets, mlp.programs, inputs, options);
  };
  set_copy_memory(0);
  EXPECT_FALSE(references().failure);
  const NoFolder none;
  EXPECT_THROW(references(), UserError) << "they went to no file";
}

TEST_F(KeptCopy, ACheckWithFilesGivesTheFiguresOfOneWithout) {
  const test::Mlp mlp = test::make_mlp({.tokens = 64, .hidden = 256, .inner = 512});
  const auto run = [&](int64_t memory) {
    return dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs,
                         {.samples = 3, .copy_memory = memory});
  };
  const DynamicReport with = run(0), without = run(1 << 30);
  EXPECT_EQ(with.triage, "pass");
  ASSERT_EQ(with.tolerances.size(), without.tolerances.size());
  for (size_t i = 0; i < with.tolerances.size(); ++i) {
    EXPECT_EQ(with.tolerances[i].allowed, without.tolerances[i].allowed);
    EXPECT_EQ(with.tolerances[i].error, without.tolerances[i].error);
  }
}

}  // namespace
}  // namespace assay
