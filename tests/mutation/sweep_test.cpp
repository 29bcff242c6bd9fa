// Mutants of every case that runs. The tests judge one of each kind and fourth case, others of the
// next kind; a full run judges ASSAY_MUTANTS of each kind and case.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/mutation/cases.h"
#include "tests/mutation/mutant_test.h"

namespace assay::test {

namespace {

class Sweep : public testing::TestWithParam<MutationKind> {};

TEST_P(Sweep, NoMutantThatDiffersIsProved) {
  size_t valid = 0, different = 0, equal_and_unproved = 0;
  const bool all = std::getenv("ASSAY_MUTANTS") != nullptr;
  size_t index = static_cast<size_t>(GetParam());
  for (NamedCase& original : runnable_cases()) {
    if (++index % 4 != 0 && !all) continue;
    SCOPED_TRACE(original.name);
    std::cout << original.name << ", ";
    const Judge judge(std::move(original.executed), std::move(original.whole));
    const MutantTally tally = expect_no_wrong_proof(
        judge, {.kind = GetParam(), .valid = sample_size("ASSAY_MUTANTS", 1)});
    valid += tally.valid();
    different += tally.different;
    equal_and_unproved += tally.equal_and_unproved.size();
  }
  std::cout << "all cases, " << to_string(GetParam()) << ": " << valid << " valid mutants, "
            << different << " differ, " << equal_and_unproved << " are equal and not proved\n";
  EXPECT_GT(different, 0u);
}

TEST(Sweep, CasesAreProvedAndEqualBeforeTheyAreMutated) {
  for (NamedCase& original : runnable_cases()) {
    SCOPED_TRACE(original.name);
    const Judge judge(std::move(original.executed), std::move(original.whole));
    const Judgement judgement = judge.judge({MutationKind::kConstant, "nothing", [](Case&) {}});
    EXPECT_EQ(judgement.invalid, "");
    EXPECT_EQ(judgement.difference, "");
    EXPECT_EQ(judgement.proof.verdict, Verdict::kProved) << judgement.proof.reason;
    EXPECT_EQ(judgement.false_claim, "");
    if (judgement.whole) {
      EXPECT_EQ(judgement.whole->verdict, Verdict::kProved) << judgement.whole->reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllCases, Sweep,
                         testing::Values(MutationKind::kConstant, MutationKind::kIndex,
                                         MutationKind::kOperand, MutationKind::kOperator,
                                         MutationKind::kCollective, MutationKind::kMemory,
                                         MutationKind::kType, MutationKind::kAttribute),
                         [](const auto& one) { return std::string(to_string(one.param)); });

}  // namespace
}  // namespace assay::test
