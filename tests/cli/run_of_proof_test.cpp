// The run that follows a proof.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/cli/run_assay.h"

namespace assay::test {
namespace {

Outcome check(const std::string& folder) {
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  if (source == nullptr) return {-1, "ASSAY_SOURCE_DIR is not set"};
  return run_assay("check" +
                   quoted(std::filesystem::path(source) / "tests/static_check/soundness" / folder));
}

// What is small is run by the proof itself.
TEST(RunOfProof, WhatIsAssumedToBeDefinedAndIsNotIsADeviation) {
  const Outcome small = check("domain_assumed_shifted");
  EXPECT_EQ(small.exit, 1) << small.text;
  EXPECT_THAT(small.text, testing::HasSubstr("have NaN where the specification has a number"));
  const Outcome outcome = check("domain_assumed_of_many");
  EXPECT_EQ(outcome.exit, 1) << outcome.text;
  EXPECT_THAT(outcome.text, testing::HasSubstr("domains: every argument of aten.log.default"));
  EXPECT_THAT(outcome.text, testing::HasSubstr("triage: domain"));
}

TEST(RunOfProof, WhatIsDefinedAgrees) {
  const Outcome outcome = check("domain_constants_inside");
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  EXPECT_THAT(outcome.text, testing::HasSubstr("comparisons agree"));
}

// x + 1e30 - 1e30 is x, but not in float64.
TEST(RunOfProof, WhatRoundingOfTheRanksExplainsIsADeviationByRounding) {
  const Outcome outcome = check("sum_that_absorbs");
  EXPECT_EQ(outcome.exit, 1) << outcome.text;
  EXPECT_THAT(outcome.text, testing::HasSubstr("triage: rounding"));
}

// Of PyTorch's hardsigmoid_backward, 1/6 is.
TEST(RunOfProof, AKernelWithNumbersInSinglePrecisionAgrees) {
  const Outcome outcome = check("kernel_in_single_precision");
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  EXPECT_THAT(outcome.text, testing::HasSubstr("comparisons agree"));
}

}  // namespace
}  // namespace assay::test
