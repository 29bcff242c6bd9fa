// Mutants of a captured serving model.
#include <gtest/gtest.h>

#include "dynamic_check/witness/shrink_case.h"
#include "tests/mutation/mutant_test.h"
#include "tests/support/captured_graphs.h"

namespace assay::test {
namespace {

struct Count {
  MutationKind kind;
  size_t valid;  // at least; most changes of an index make a program whose shapes do not fit
};

void PrintTo(const Count& count, std::ostream* out) { *out << to_string(count.kind); }

class Mutants : public testing::TestWithParam<Count> {};

TEST_P(Mutants, OfATensorParallelServingModelAreProvedOnlyWhereTheyAreEqual) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case whole = load_case(captured_graphs() / "qwen2-tp2");
  const Judge judge(shrink_case(whole), whole);
  EXPECT_GE(expect_no_wrong_proof(judge, {.kind = GetParam().kind}).valid(), GetParam().valid);
}

// 220 in all.
INSTANTIATE_TEST_SUITE_P(Qwen2, Mutants,
                         testing::Values(Count{MutationKind::kConstant, 50},
                                         Count{MutationKind::kIndex, 20},
                                         Count{MutationKind::kOperand, 50},
                                         Count{MutationKind::kOperator, 50},
                                         Count{MutationKind::kCollective, 50}),
                         [](const auto& one) { return std::string(to_string(one.param.kind)); });

TEST(NoMutation, IsProvedAndEqual) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case whole = load_case(captured_graphs() / "qwen2-tp2");
  const Judgement judgement =
      Judge(shrink_case(whole), whole).judge({MutationKind::kConstant, "nothing", [](Case&) {}});
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
