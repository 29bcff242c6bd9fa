// Which explanation of a failure comes first.
#include "static_check/diagnose/suspicion.h"

#include <gtest/gtest.h>

namespace assay::test {
namespace {

TEST(Suspicion, AnEarlierCauseIsMoreTellingHoweverCloseAnotherIs) {
  EXPECT_GT((Suspicion{Cause::kPendingSum, 0}), (Suspicion{Cause::kWrongScale, 400}));
  EXPECT_GT((Suspicion{Cause::kScaledBeside, 0}), (Suspicion{Cause::kNumber, 400}));
}

TEST(Suspicion, OfOneCauseTheCloserTensorIsMoreTelling) {
  EXPECT_GT((Suspicion{Cause::kDistant, 200}), (Suspicion{Cause::kDistant, 100}));
  EXPECT_EQ((Suspicion{Cause::kDistant, 200}), (Suspicion{Cause::kDistant, 200}));
}

TEST(Suspicion, IsOfHowCloseTheTensorIs) {
  EXPECT_EQ(suspicion_of(true, false, 4 * 99).cause, Cause::kAlmostTheSame);
  EXPECT_EQ(suspicion_of(true, false, 4 * 90).cause, Cause::kSimilar);
  EXPECT_EQ(suspicion_of(true, false, 4 * 80).cause, Cause::kAlike);
  EXPECT_EQ(suspicion_of(true, false, 4 * 10).cause, Cause::kDistant);
  EXPECT_EQ(suspicion_of(true, true, 0).cause, Cause::kPendingSum);
  EXPECT_EQ(suspicion_of(false, true, 0).cause, Cause::kPendingNumber);
}

TEST(Suspicion, OfMasksIsTellingWhereOneLiesElsewhereAlone) {
  EXPECT_FALSE(is_telling(suspicion_of(false, false, 4 * 50)));
  EXPECT_TRUE(is_telling(suspicion_of(false, false, 4 * 90)));
  EXPECT_TRUE(is_telling(suspicion_of(true, false, 0)));
}

}  // namespace
}  // namespace assay::test
