// Mutants of a captured serving model.
#include <gtest/gtest.h>

#include "dynamic_check/replay/reduce_case.h"
#include "tests/mutation/mutant_test.h"
#include "tests/support/captured_graphs.h"

namespace assay::test {
namespace {

TEST(Mutants, OfATensorParallelServingModelAreProvedOnlyWhereTheyAreEqual) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case whole = load_case(captured_graphs() / "qwen2-tp2");
  const Judge judge(reduce_case(whole, 64), whole);
  EXPECT_GE(expect_no_wrong_proof(judge, {}), 200u);
}

TEST(Mutants, OfNoChangeAreProvedAndEqual) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case whole = load_case(captured_graphs() / "qwen2-tp2");
  const Judgement judgement =
      Judge(reduce_case(whole, 64), whole).judge({MutationKind::kConstant, "nothing", [](Case&) {
                                                  }});
  EXPECT_EQ(judgement.invalid, "");
  EXPECT_EQ(judgement.difference, "");
  EXPECT_EQ(judgement.proof.verdict, Verdict::kProved) << judgement.proof.reason;
  EXPECT_EQ(judgement.proof.certificate_error, "");
  EXPECT_EQ(judgement.false_claim, "");
  ASSERT_TRUE(judgement.whole);
  EXPECT_EQ(judgement.whole->verdict, Verdict::kProved) << judgement.whole->reason;
}

}  // namespace
}  // namespace assay::test
