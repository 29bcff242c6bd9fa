// The checker against the proofs that static_check finds in the captured graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/operators.h"
#include "static_check/check.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/edits/certificate_edits.h"

namespace assay::test {
namespace {

struct CapturedGraph {
  std::string name;
  int edits;  // of each kind, at least
};

void PrintTo(const CapturedGraph& graph, std::ostream* out) { *out << graph.name; }

class CapturedProof : public testing::TestWithParam<CapturedGraph> {
 protected:
  void SetUp() override {
    ASSAY_NEED_CAPTURED_GRAPHS();
    const Case refinement = load_case(captured_graphs() / GetParam().name);
    const OperatorTable operators = OperatorTable::builtin();
    const StaticResult result = static_check(refinement, operators);
    ASSERT_EQ(result.report.verdict, Verdict::kProved);
    replay_ = replay_of(refinement, result.certificate, operators);
  }

  Replay replay_;
};

TEST_P(CapturedProof, IsAccepted) {
  const CheckResult result = replay_.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST_P(CapturedProof, RejectsEveryEditThatChangesItsMeaning) {
  const EditOutcome outcome = check_edits(replay_, 60);
  EXPECT_THAT(outcome.accepted, testing::IsEmpty());
  for (const EditKind kind : kEditKinds) {
    const auto count = outcome.rejected.find(kind);
    ASSERT_NE(count, outcome.rejected.end()) << to_string(kind);
    EXPECT_GE(count->second, GetParam().edits) << to_string(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, CapturedProof,
                         testing::Values(CapturedGraph{"qwen2-tp2", 36},
                                         CapturedGraph{"llama3-tp2-l1-hlo", 36},
                                         CapturedGraph{"llama3-tp2-l1", 36},
                                         CapturedGraph{"gpt-tp2-l1", 36},
                                         CapturedGraph{"gpt-tp4-l2", 36}),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace assay::test
