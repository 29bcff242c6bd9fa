#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/hand_cases.h"
#include "tests/checker/hand_proof.h"
#include "tests/support/edits/certificate_edits.h"

namespace assay::test {
namespace {

struct HandProof {
  std::string name;
  Replay (*make)();
};

void PrintTo(const HandProof& proof, std::ostream* out) { *out << proof.name; }

class HandProofTest : public testing::TestWithParam<HandProof> {};

TEST_P(HandProofTest, IsAccepted) {
  const Replay replay = GetParam().make();
  const CheckResult result = replay.check();
  EXPECT_TRUE(result.accepted) << result.reason;
  EXPECT_GT(result.probes, 0);
  EXPECT_EQ(result.claims,
            static_cast<int64_t>(replay.sequential.ops.size() + replay.ranks[0].ops.size() +
                                 replay.ranks[1].ops.size()));
}

TEST_P(HandProofTest, RejectsEveryEditThatChangesItsMeaning) {
  const Replay replay = GetParam().make();
  const EditOutcome outcome = check_edits(replay, 1000);
  EXPECT_THAT(outcome.accepted, testing::IsEmpty());
  int rejected = 0;
  for (const auto& [kind, count] : outcome.rejected) rejected += count;
  EXPECT_GT(rejected, 20);
}

INSTANTIATE_TEST_SUITE_P(Hand, HandProofTest,
                         testing::Values(HandProof{"RowParallel", row_parallel},
                                         HandProof{"ColumnParallel", column_parallel},
                                         HandProof{"VocabParallel", vocab_parallel},
                                         HandProof{"RowSoftmax", row_softmax}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace assay::test
