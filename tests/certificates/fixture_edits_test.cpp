// The proof of every right fixture: its certificate replays, and no edit of it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/operator_table/operator_table.h"
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
    "gated-language-model-tp2-sp",
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
    "context-parallel-cp2",
    "context-parallel-cp4",
    "context-parallel-balanced-cp2",
    "context-parallel-balanced-cp4",
    "ring-attention-cp2",
    "ring-attention-cp4",
    "ring-attention-by-sigmoid-cp4",
    "ring-attention-causal-cp2",
    "float8-mlp-tp2",
    "float8-mlp-dp2-tp2",
    "float8-recomputation-tp2",
    "pipeline-interleaved-pp2",
    "two-axis-norm-cp2-tp2",
    "two-axis-norm-float8-cp2-tp2",
    "two-axis-norm-float8-tp2",
    "delayed-scaling-tp2",
    "delayed-scaling-dp2",
};

// Fixtures with so few collectives that there are not fifty edits of every kind.
struct SmallFixture {
  const char* name;
  std::set<EditKind> none = {};  // kinds of which there is no edit: one rank, no definition
};

void PrintTo(const SmallFixture& fixture, std::ostream* out) { *out << fixture.name; }

const SmallFixture kSmallFixtures[] = {
    {"accumulation-mean-dp1", {EditKind::kRank}},
    {"accumulation-mean-dp2"},
    {"accumulation-sum-dp2"},
    {"data-parallel-average-dp2"},
    {"data-parallel-buckets-dp2"},
    {"dropout-tp2"},
    {"expert-parallel-uneven-ep2"},
    {"local-batch-norm-dp2"},
    {"local-capacity-ep2"},
    {"overlapped-gradient-tp2"},
    {"resharded-state-tp2"},
    {"rotary-tp2"},
    {"rotary-tp4"},
    {"sequence-router-tp2"},
    {"sequence-router-tp4"},
    {"sgd-step-dp2"},
    {"tied-embedding-dp2"},
    {"tied-stages-dp2-pp2"},
    {"uneven-head-list-tp4", {EditKind::kDefinition}},
    {"uneven-head-padded-tp4", {EditKind::kDefinition}},
    {"zero1-dp2"},
    {"zero1-dp4"},
    {"zero2-dp2"},
    {"zero2-dp4"},
    {"zero3-dp2"},
    {"zero3-dp4"},
};

// Where dump_cases writes them.
const std::filesystem::path kCases = ASSAY_FIXTURE_CASES;

#define ASSAY_NEED_FIXTURE_CASES()            \
  if (!std::filesystem::is_directory(kCases)) \
  GTEST_SKIP() << "no case folders of the fixtures: LibTorch programs, which this build has not"

// The proof of the fixture in a case folder.
Replay proof_of(const char* name) {
  const Case refinement = load_case(kCases / name);
  const OperatorTable operators = OperatorTable::builtin();
  const StaticResult result = static_check(refinement, operators);
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  return replay_of(refinement, result.certificate, operators);
}

void expect_accepted(const Replay& replay) {
  const CheckResult result = replay.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

class FixtureProof : public testing::TestWithParam<const char*> {};

TEST_P(FixtureProof, IsAcceptedAndRejectedAfterFiftyEditsOfEachKind) {
  ASSAY_NEED_FIXTURE_CASES();
  const Replay replay = proof_of(GetParam());
  expect_accepted(replay);
  expect_edits_rejected(replay, 50);
}

class SmallFixtureProof : public testing::TestWithParam<SmallFixture> {};

TEST_P(SmallFixtureProof, IsAcceptedAndRejectedAfterTheEditsThatThereAre) {
  ASSAY_NEED_FIXTURE_CASES();
  const Replay replay = proof_of(GetParam().name);
  expect_accepted(replay);
  expect_edits_rejected(replay, 50, /*least=*/6, GetParam().none);
}

std::string test_name(std::string fixture) {
  std::replace(fixture.begin(), fixture.end(), '-', '_');
  return fixture;
}

INSTANTIATE_TEST_SUITE_P(All, FixtureProof, testing::ValuesIn(kFixtures),
                         [](const auto& fixture) { return test_name(fixture.param); });
INSTANTIATE_TEST_SUITE_P(All, SmallFixtureProof, testing::ValuesIn(kSmallFixtures),
                         [](const auto& fixture) { return test_name(fixture.param.name); });

TEST(FixtureProofs, AreOfEveryFixtureThatRefines) {
  ASSAY_NEED_FIXTURE_CASES();
  std::set<std::string> refine;
  for (const auto& folder : std::filesystem::directory_iterator(kCases)) {
    const Case refinement = load_case(folder.path());
    if (refinement.known && refinement.known->verdict == "refines") refine.insert(refinement.name);
  }
  std::vector<std::string> tested(std::begin(kFixtures), std::end(kFixtures));
  for (const SmallFixture& fixture : kSmallFixtures) tested.emplace_back(fixture.name);
  EXPECT_THAT(refine, testing::UnorderedElementsAreArray(tested));
}

}  // namespace
}  // namespace assay::test
