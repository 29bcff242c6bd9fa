// Functional collectives go on at once and are waited for by wait_tensor; each group has a stream
// of its own. An order of waits that cannot end is refuted, with the circle; what only goes on
// beside something else is proved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// Steps of a rank, a letter each: "g" and "h" begin an all-reduce of x in that group, "G" and "H"
/// wait for the last one that was begun there, "b" is a barrier in group g.
struct StepsOfRanks {
  const char* name;
  std::vector<std::string> ranks;
};

Case waiting_case(const StepsOfRanks& program) {
  const auto ranks = static_cast<int>(program.ranks.size());
  CaseBuilder c(ranks);
  const Shape shape{4, 2};
  GraphBuilder& s = c.sequential();
  s.output(s.call("y", "aten.mul.Tensor", {s.input("x", shape), 2 * ranks}, shape));
  for (int r = 0; r < ranks; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", shape);
    g.at("rank" + std::to_string(r) + ".cpp", 10 + r);
    TensorRef begun[2], done[2];
    for (const char step : program.ranks[static_cast<size_t>(r)]) {
      const std::string name = "t" + std::to_string(g.graph().nodes.size());
      const bool second = step == 'h' || step == 'H';
      if (step == 'g' || step == 'h')
        begun[second] = g.call(name, "_c10d_functional.all_reduce.default",
                               {x, "sum", second ? "h" : "g"}, shape);
      else if (step == 'b')
        g.effect("c10d.barrier.default", {"g"});
      else
        done[second] = g.call(name, "_c10d_functional.wait_tensor.default", {begun[second]}, shape);
    }
    g.output(g.call("y", "aten.add.Tensor", {done[0], done[1]}, shape));
  }
  c.replicate("x");
  Case result = c.build();
  result.distributed_groups["g"] = result.distributed_groups["h"] = result.distributed_groups["tp"];
  return result;
}

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

INSTANTIATE_TEST_SUITE_P(All, DeadlockOfWaits,
                         testing::Values(StepsOfRanks{"OtherOrder", {"gGhH", "hHgG"}},
                                         StepsOfRanks{"OneOfThreeRanks", {"gGhH", "gGhH", "hHgG"}},
                                         StepsOfRanks{"TwoOfThreeRanks", {"gGhH", "hHgG", "hHgG"}},
                                         StepsOfRanks{"BehindABarrier", {"gbGhH", "hHgbG"}},
                                         StepsOfRanks{"BarrierFirst", {"bghGH", "hHbgG"}}),
                         steps_name);

INSTANTIATE_TEST_SUITE_P(All, WaitsThatEnd,
                         testing::Values(StepsOfRanks{"SameOrder", {"gGhH", "gGhH"}},
                                         StepsOfRanks{"BothBegunFirst", {"ghGH", "hgHG"}},
                                         StepsOfRanks{"OneInterleaved", {"ghGH", "gGhH"}},
                                         StepsOfRanks{"WaitedInAnotherOrder", {"ghGH", "ghHG"}},
                                         StepsOfRanks{"OneSideWaitsAtOnce", {"hgHG", "ghGH"}},
                                         StepsOfRanks{"ThreeRanks", {"ghGH", "hgGH", "ghHG"}},
                                         StepsOfRanks{"BarrierBetween", {"gbGhH", "gbhHG"}}),
                         steps_name);

}  // namespace
}  // namespace assay::test
