// The checker holds the approximations of a certificate to those that the case accepts.
#include <gtest/gtest.h>

#include "tests/checker/expect_rejected.h"
#include "tests/support/centred_case.h"
#include "tests/support/claims/replay.h"

namespace assay::test {
namespace {

class ApproximatedProof : public testing::Test {
 protected:
  void SetUp() override {
    const Case refinement = centred_by_accepted_means(Centring::kOwnMean);
    const OperatorTable operators = OperatorTable::builtin();
    replay_ = replay_of(refinement, static_check(refinement, operators).certificate, operators);
    ASSERT_EQ(replay_.certificate.approximations.size(), 1u);
  }

  Certificate::Approximated& assumed() { return replay_.certificate.approximations[0]; }

  Replay replay_;
};

TEST_F(ApproximatedProof, IsAccepted) {
  const CheckResult result = replay_.check();
  EXPECT_TRUE(result.accepted) << result.reason;
}

TEST_F(ApproximatedProof, IsRejectedForACaseThatAcceptsNone) {
  replay_.refinement.approximations.clear();
  expect_rejected(replay_, "a number of approximations that is not the case's");
}

TEST_F(ApproximatedProof, IsRejectedWithoutItsAssumption) {
  replay_.certificate.approximations.clear();
  expect_rejected(replay_, "a number of approximations that is not the case's");
}

TEST_F(ApproximatedProof, IsRejectedForAnotherTensor) {
  assumed().tensor = "h";
  expect_rejected(replay_, "an approximation of h that nobody accepts");
}

TEST_F(ApproximatedProof, IsRejectedForAnotherRelation) {
  assumed().replicas.pop_back();
  expect_rejected(replay_, "an approximation of m that nobody accepts");
}

TEST_F(ApproximatedProof, IsRejectedWithoutItsOperands) {
  assumed().operands.pop_back();
  expect_rejected(replay_, "a number of operands that is not its operators'");
}

TEST_F(ApproximatedProof, IsRejectedForAnotherOperand) {
  std::swap(assumed().operands[0], assumed().operands[1]);
  expect_rejected(replay_, "approximation of m");
}

TEST_F(ApproximatedProof, IsRejectedForATensorThatItsOperatorDoesNotRead) {
  assumed().operands[0].name = "x";
  assumed().operands[0].operands.clear();
  assumed().operands[0].kind = CleanExpr::Kind::kTensor;
  expect_rejected(replay_, "its operator does not read x");
}

TEST_F(ApproximatedProof, IsRejectedWhereAnOperandHasNoRelation) {
  std::erase_if(replay_.certificate.relations, [](const auto& r) { return r.tensor == "h"; });
  expect_rejected(replay_, "its operand h has no relation");
}

}  // namespace
}  // namespace assay::test
