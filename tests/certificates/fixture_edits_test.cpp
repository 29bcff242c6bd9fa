// The proof of every right fixture: its certificate replays, and no edit of it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/operators.h"
#include "static_check/check.h"
#include "tests/support/edits/certificate_edits.h"

namespace assay::test {
namespace {

const char* const kFixtures[] = {
    "block-layernorm-gelu-tp2",
    "block-layernorm-gelu-tp2-sp",
    "block-layernorm-gelu-tp4",
    "block-layernorm-gelu-tp4-sp",
    "block-rmsnorm-swiglu-tp2",
    "block-rmsnorm-swiglu-tp2-sp",
    "block-rmsnorm-swiglu-tp4",
    "block-rmsnorm-swiglu-tp4-sp",
    "embedding-tp2",
    "embedding-tp2-sp",
    "embedding-tp4",
    "embedding-tp4-sp",
    "cross-entropy-tp2",
    "cross-entropy-tp4",
    "language-model-tp2",
    "language-model-tp2-sp",
    "language-model-tp4",
    "language-model-tp4-sp",
    "expert-parallel-ep2",
    "expert-parallel-ep4",
    "pipeline-gpipe-pp2",
    "pipeline-1f1b-pp2",
    "pipeline-gpipe-pp4",
    "pipeline-1f1b-pp4",
    "data-parallel-sum-dp4",
    "data-parallel-sum-buckets-dp2",
    "adamw-step-dp2-tp2",
    "clipping-tp2",
    "clipping-tp4",
    "tied-embedding-tp2",
    "recomputation-tp2",
    "recomputation-tp4",
};

// Fixtures with so few collectives that there are not fifty edits of every kind.
const char* const kSmallFixtures[] = {
    "accumulation-mean-dp1",
    "accumulation-mean-dp2",
    "accumulation-sum-dp2",
    "data-parallel-average-dp2",
    "data-parallel-buckets-dp2",
    "expert-parallel-uneven-ep2",
    "sgd-step-dp2",
    "tied-embedding-dp2",
    "uneven-head-list-tp4",
    "uneven-head-padded-tp4",
    "zero1-dp2",
    "zero1-dp4",
    "zero2-dp2",
    "zero2-dp4",
    "zero3-dp2",
    "zero3-dp4",
};

// Where dump_cases writes them.
const std::filesystem::path kCases = ASSAY_FIXTURE_CASES;

#define ASSAY_NEED_FIXTURE_CASES()            \
  if (!std::filesystem::is_directory(kCases)) \
  GTEST_SKIP() << "no case folders of the fixtures: LibTorch programs, which this build has not"

class FixtureProof : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSAY_NEED_FIXTURE_CASES();
    const Case refinement = load_case(kCases / GetParam());
    const OperatorTable operators = OperatorTable::builtin();
    const StaticResult result = static_check(refinement, operators);
    ASSERT_EQ(result.report.verdict, Verdict::kProved);
    replay_ = replay_of(refinement, result.certificate, operators);
  }

  Replay replay_;
};

TEST_P(FixtureProof, IsAccepted) {
  const CheckResult result = replay_.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST_P(FixtureProof, IsRejectedAfterFiftyEditsOfEachKind) { expect_edits_rejected(replay_, 50); }

class SmallFixtureProof : public FixtureProof {};

TEST_P(SmallFixtureProof, IsAccepted) {
  const CheckResult result = replay_.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST_P(SmallFixtureProof, IsRejectedAfterTheEditsThatThereAre) {
  expect_edits_rejected(replay_, 50, /*least=*/6);
}

std::string test_name(const testing::TestParamInfo<const char*>& fixture) {
  std::string name = fixture.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FixtureProof, testing::ValuesIn(kFixtures), test_name);
INSTANTIATE_TEST_SUITE_P(All, SmallFixtureProof, testing::ValuesIn(kSmallFixtures), test_name);

TEST(FixtureProofs, AreOfEveryFixtureThatRefines) {
  ASSAY_NEED_FIXTURE_CASES();
  std::set<std::string> refine;
  for (const auto& folder : std::filesystem::directory_iterator(kCases)) {
    const Case refinement = load_case(folder.path());
    if (refinement.known && refinement.known->verdict == "refines") refine.insert(refinement.name);
  }
  std::vector<std::string> tested(std::begin(kFixtures), std::end(kFixtures));
  tested.insert(tested.end(), std::begin(kSmallFixtures), std::end(kSmallFixtures));
  EXPECT_THAT(refine, testing::UnorderedElementsAreArray(tested));
}

}  // namespace
}  // namespace assay::test
