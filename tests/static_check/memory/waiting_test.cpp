// Functional collectives go on at once and are waited for by wait_tensor; each group has a stream
// of its own. An order of waits that cannot end is refuted, with the circle; what only goes on
// beside something else is proved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prove.h"
#include "tests/support/waiting_case.h"

namespace assay::test {
namespace {

StaticReport waiting_report(const StepsOfRanks& program) {
  StaticOptions options;
  options.verify = true;
  return static_check(waiting_case(program), OperatorTable::builtin(), options).report;
}

class DeadlockOfWaits : public testing::TestWithParam<StepsOfRanks> {};
class WaitsThatEnd : public testing::TestWithParam<StepsOfRanks> {};

TEST_P(DeadlockOfWaits, IsRefutedWithBothLines) {
  const StaticReport report = waiting_report(GetParam());
  EXPECT_EQ(report.verdict, Verdict::kRefuted);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].kind, "collective_mismatch");
  EXPECT_THAT(report.failures[0].source, testing::HasSubstr(".cpp:1"));
  EXPECT_THAT(report.failures[0].distributed_source, testing::HasSubstr(".cpp:1"));
  EXPECT_THAT(report.failures[0].reason, testing::HasSubstr("wait for each other"));
}

TEST_P(WaitsThatEnd, AreProved) { EXPECT_EQ(waiting_report(GetParam()).verdict, Verdict::kProved); }

std::string steps_name(const testing::TestParamInfo<StepsOfRanks>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, DeadlockOfWaits, testing::ValuesIn(deadlocks_of_waits()), steps_name);
INSTANTIATE_TEST_SUITE_P(All, WaitsThatEnd, testing::ValuesIn(waits_that_end()), steps_name);

}  // namespace
}  // namespace assay::test
