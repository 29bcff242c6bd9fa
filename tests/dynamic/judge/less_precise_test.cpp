// What the ranks lose in precision beyond what any order of the sequential program's sums does is
// no tolerance of theirs.
#include <ATen/TensorOperators.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/dynamic/support/difference.h"
#include "tests/dynamic/support/two_ranks.h"

namespace assay {
namespace {

using test::on_two_ranks;
using testing::HasSubstr;

constexpr int64_t kSharedRows = 16, kSharedColumns = 64;

at::Tensor row_sums(ProgramContext&, const at::Tensor& x) { return at::sum(x, {1}); }

// Over columns that the ranks share: each adds up its own, of numbers that are `offset` larger, and
// takes that off afterwards.
test::Form shared_row_sums(double offset) {
  return [=](ProgramContext& p, const at::Tensor& x) {
    at::Tensor partial = offset == 0 ? at::sum(x, {1}) : at::sum(x + offset, {1});
    if (offset != 0) partial = partial - offset * (kSharedColumns / 2);
    std::vector<at::Tensor> sums{partial};
    p.group("tp")->allreduce(sums)->wait();
    return sums[0];
  };
}

DynamicReport check_sums(const test::Mlp& programs, DType precision, uint64_t seed) {
  return dynamic_check(programs.refinement, programs.relations, Verdict::kProved, programs.programs,
                       {.precision = precision, .seed = seed});
}

class LessPrecise : public testing::TestWithParam<DType> {};

TEST_P(LessPrecise, IsACancellationThatTheRanksAloneBringIn) {
  const test::Mlp cancels =
      on_two_ranks({kSharedRows, kSharedColumns}, 1, row_sums, shared_row_sums(/*offset=*/1000));
  const DynamicReport report = check_sums(cancels, GetParam(), 1);
  EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
  EXPECT_EQ(report.triage, "precision");
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->tensor, "y");
  EXPECT_EQ(report.first_deviation->kind, "less_precise");
  EXPECT_THAT(report.first_deviation->detail, HasSubstr("less precise than its specification by"));
}

// Few digits: thirty times the sequential program's noise, which one error of ten times shows.
TEST_P(LessPrecise, IsASmallOffsetThatTheRanksTakeOffAgain) {
  const auto tanh = [](ProgramContext&, const at::Tensor& x) { return at::tanh(x); };
  const auto moved = [](ProgramContext&, const at::Tensor& x) { return at::tanh(x) + 30 - 30; };
  const auto twice = [](ProgramContext&, const at::Tensor& x) { return at::tanh(x) * 3 / 3; };
  const Shape shape{kSharedRows, kSharedColumns};
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const DynamicReport report =
        check_sums(on_two_ranks(shape, test::kWhole, tanh, moved), GetParam(), seed);
    EXPECT_EQ(report.triage, "precision") << "seed " << seed;
    ASSERT_TRUE(report.first_deviation);
    EXPECT_EQ(report.first_deviation->kind, "less_precise");
    const test::Mlp rounds_again = on_two_ranks(shape, test::kWhole, tanh, twice);
    EXPECT_EQ(check_sums(rounds_again, GetParam(), seed).triage, "pass") << "seed " << seed;
  }
}

TEST_P(LessPrecise, IsNotAPlainReordering) {
  const test::Mlp reorders =
      on_two_ranks({kSharedRows, kSharedColumns}, 1, row_sums, shared_row_sums(0));
  const test::Mlp halves = test::make_difference();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(check_sums(reorders, GetParam(), seed).triage, "pass") << "seed " << seed;
    EXPECT_EQ(check_sums(halves, GetParam(), seed).triage, "pass") << "seed " << seed;
  }
}

// Both programs lose these digits: it is what was specified.
TEST_P(LessPrecise, IsNotWhatTheSpecificationLosesAsWell) {
  const auto cancels = [](ProgramContext&, const at::Tensor& x) {
    return at::sum(x + 1000, {1}) - 1000 * kSharedColumns;
  };
  const test::Mlp same =
      on_two_ranks({kSharedRows, kSharedColumns}, 1, cancels, shared_row_sums(1000));
  for (uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(check_sums(same, GetParam(), seed).triage, "pass") << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(In, LessPrecise, testing::Values(DType::kFloat32, DType::kBFloat16),
                         [](const auto& dtype) { return std::string(to_string(dtype.param)); });

}  // namespace
}  // namespace assay
