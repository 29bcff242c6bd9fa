// What a rank holds of a sequential tensor is compared though no relation names it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dynamic/support/two_ranks.h"

namespace assay {
namespace {

using testing::HasSubstr;

// y = (tanh(x) > 2), which no rounding decides.
at::Tensor decided(ProgramContext&, const at::Tensor& x) { return at::tanh(x) > 2; }

// On the ranks of a copy of tanh(x), or of each rank's rows of it, that was moved up and down.
test::Mlp moving(double offset, bool rows) {
  return test::on_two_ranks({16, 32}, test::kWhole, decided,
                            [=](ProgramContext& p, const at::Tensor& x) {
                              const at::Tensor t = at::tanh(x);
                              const at::Tensor own = rows ? t.narrow(0, p.rank() * 8, 8) : t;
                              const at::Tensor moved = own + offset - offset;
                              return rows ? t > 2 : moved > 2;
                            });
}

DynamicReport check_moving(double offset, bool rows, bool views_known = true) {
  test::Mlp programs = moving(offset, rows);
  programs.relations.push_back(test::relation("tanh", {"tanh@0"}));
  RankViews views(2);
  for (int rank = 0; views_known && rank < 2; ++rank) {
    const std::string own = rows ? "slice(tanh; dim=0, start=" + std::to_string(rank * 8) +
                                       ", end=" + std::to_string(rank * 8 + 8) + ")"
                                 : "tanh";
    views[static_cast<size_t>(rank)]["sub"] = parse_clean_expr(own, {}, Leaves::kSequential);
  }
  return dynamic_check(programs.refinement, programs.relations, Verdict::kProved, programs.programs,
                       {.seed = 1}, views);
}

TEST(HeldParts, ThatLoseDigitsAreFound) {
  for (const bool rows : {false, true}) {
    const DynamicReport report = check_moving(3000, rows);
    EXPECT_EQ(report.verdict, Verdict::kRefuted) << "rows " << rows;
    ASSERT_TRUE(report.first_deviation);
    EXPECT_EQ(report.first_deviation->tensor, "tanh");
    EXPECT_THAT(report.first_deviation->detail,
                HasSubstr(rows ? "sub@0 as slice" : "sub@0 as tanh"));
  }
}

TEST(HeldParts, ThatRoundOnceMoreAreNot) {
  for (const bool rows : {false, true}) EXPECT_EQ(check_moving(0.5, rows).triage, "pass");
}

// Nothing else would show it: the output is the same.
TEST(HeldParts, AreKnownByTheProofAlone) {
  EXPECT_EQ(check_moving(3000, false, /*views_known=*/false).triage, "pass");
}

}  // namespace
}  // namespace assay
