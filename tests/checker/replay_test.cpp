// The checker against the proofs that static_check finds in the captured graphs.
#include <gtest/gtest.h>

#include <map>

#include "shared_ir/operators.h"
#include "static_check/check.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/certificate_edits.h"

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

TEST_P(CapturedProof, RejectsEveryEditThatChangesItsMeaning) {
  std::map<EditKind, int> rejected;
  for (const CertificateEdit& edit : certificate_edits(replay_, 60)) {
    Replay edited = replay_;
    edit.apply(edited);
    EXPECT_FALSE(edited.check().accepted) << to_string(edit.kind) << ": " << edit.what;
    ++rejected[edit.kind];
  }
  for (const EditKind kind : kEditKinds) RecordProperty(to_string(kind), rejected[kind]);
}

INSTANTIATE_TEST_SUITE_P(Graphs, CapturedProof, testing::Values("qwen2-tp2", "llama3-tp2-l1"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace assay::test
