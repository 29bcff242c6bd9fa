// The calibration bench counts what it says: alarms where there are any, and errors that are
// caught.
#include <gmock/gmock.h>

#include <algorithm>

#include "bench/calibration/clean_runs.h"
#include "bench/calibration/power.h"
#include "fixtures/bugs/zoo.h"
#include "fixtures/catalog.h"

namespace assay::bench {
namespace {

using testing::HasSubstr;

const std::vector<DType> kBoth = {DType::kFloat32, DType::kBFloat16};

std::vector<RefinementSpec> one_right() {
  return {fixtures::right_fixture("accumulation-mean-dp2")};
}

RefinementSpec one_wrong() {
  for (const fixtures::SeededBug& bug : fixtures::bug_zoo())
    if (bug.triage == "logic") return bug.wrong;
  throw std::logic_error("the zoo has no such bug");
}

TEST(CleanRuns, ARightProgramRaisesNoAlarm) {
  int told = 0;
  const CleanRuns clean = run_clean(one_right(), kBoth, 5, 1, [&] { return ++told > 0; });
  EXPECT_EQ(clean.runs, 6);  // the same number in each precision
  EXPECT_EQ(told, 6);
  EXPECT_TRUE(clean.alarms.empty());
  ASSERT_EQ(clean.deviations.size(), 2U);
  for (const Deviations& one : clean.deviations) {
    ASSERT_FALSE(one.measured.empty());
    EXPECT_TRUE(std::is_sorted(one.measured.begin(), one.measured.end()));
    EXPECT_GT(one.measured.back(), 0);
    EXPECT_LE(one.measured.back(), one.allowed);
  }
}

TEST(CleanRuns, EndWhereTheyAreToldTo) {
  int told = 0;
  const CleanRuns clean = run_clean(one_right(), kBoth, 100, 1, [&] { return ++told < 3; });
  EXPECT_EQ(clean.runs, 3);
}

TEST(CleanRuns, EveryRunOfAWrongProgramIsAnAlarmWithItsSeed) {
  const CleanRuns wrong = run_clean({one_wrong()}, {DType::kFloat32}, 2, 7, [] { return true; });
  ASSERT_EQ(wrong.alarms.size(), 2U);
  EXPECT_EQ(wrong.alarms[0].seed, 7U);
  EXPECT_EQ(wrong.alarms[1].seed, 8U);
  EXPECT_THAT(wrong.alarms[0].why, HasSubstr("not within tolerance"));
}

TEST(CleanRuns, QuantilesAreElements) {
  const std::vector<double> sorted{1, 2, 3, 4};
  EXPECT_EQ(quantile(sorted, 0), 1);
  EXPECT_EQ(quantile(sorted, 0.5), 3);
  EXPECT_EQ(quantile(sorted, 1), 4);
}

TEST(Power, AnErrorOfOneThirdIsCaughtAndTheDrawsRepeat) {
  const auto curves = [] {
    return measure_power(one_right(), {DType::kBFloat16}, /*doublings=*/7, /*draws=*/3, 1, [] {});
  };
  const std::vector<PowerCurve> once = curves(), again = curves();
  ASSERT_EQ(once.size(), 1U);
  ASSERT_EQ(once[0].points.size(), 8U);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(once[0].points[i].injected, 3);
    EXPECT_EQ(once[0].points[i].caught, again[0].points[i].caught);
  }
  EXPECT_EQ(once[0].points[7].error, 128);
  EXPECT_EQ(once[0].points[7].caught, 3);
}

}  // namespace
}  // namespace assay::bench
