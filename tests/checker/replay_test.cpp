// The checker against the proofs that static_check finds in the captured graphs.
#include <gtest/gtest.h>

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/edits/certificate_edits.h"
#include "tests/support/sanitizers.h"

namespace assay::test {
namespace {

class CapturedProof : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSAY_NEED_CAPTURED_GRAPHS();
    const Case refinement = load_case(captured_graphs() / GetParam());
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

TEST_P(CapturedProof, IsRejectedAfterEditsOfEachKind) {
  expect_edits_rejected(replay_, kUnderSanitizers ? 6 : 50);
}

INSTANTIATE_TEST_SUITE_P(Graphs, CapturedProof,
                         testing::Values("qwen2-tp2", "llama3-tp2-l1", "gpt-tp2-l1", "gpt-tp4-l2"),
                         [](const auto& graph) {
                           std::string name = graph.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace assay::test
