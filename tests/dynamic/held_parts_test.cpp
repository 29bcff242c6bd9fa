// What a rank holds of a sequential tensor is compared though no relation names it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/traces/trace_comparison.h"
#include "shared_ir/trace/trace_folder.h"
#include "tests/dynamic/support/two_ranks.h"
#include "tests/support/scratch_folder.h"

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

struct Moving {
  test::Mlp programs;
  RankViews views{2};

  Moving(double offset, bool rows) : programs(moving(offset, rows)) {
    programs.relations.push_back(test::relation("tanh", {"tanh@0"}));
    for (int rank = 0; rank < 2; ++rank) {
      const std::string own = rows ? "slice(tanh; dim=0, start=" + std::to_string(rank * 8) +
                                         ", end=" + std::to_string(rank * 8 + 8) + ")"
                                   : "tanh";
      views[static_cast<size_t>(rank)]["sub"] = parse_clean_expr(own, {}, Leaves::kSequential);
    }
  }

  DynamicReport check(const DynamicOptions& options) const {
    return dynamic_check(programs.refinement, programs.relations, Verdict::kProved,
                         programs.programs, options, views);
  }
};

DynamicReport check_moving(double offset, bool rows) {
  return Moving(offset, rows).check({.seed = 1});
}

TEST(HeldParts, ThatLoseDigitsAreFound) {
  for (const bool rows : {false, true}) {
    const DynamicReport report = check_moving(3000, rows);
    EXPECT_EQ(report.verdict, RunVerdict::kDeviates) << "rows " << rows;
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
  Moving unknown(3000, false);
  unknown.views = RankViews(2);
  EXPECT_EQ(unknown.check({.seed = 1}).triage, "pass");
}

TEST(HeldParts, AreComparedInKeptTracesToo) {
  for (const double offset : {3000.0, 0.5}) {
    const Moving moved(offset, false);
    test::ScratchFolder folder;
    DynamicOptions options{.seed = 1, .samples = 4};
    options.traces = folder.path();
    const DynamicReport run = moved.check(options);
    TraceComparison question;
    question.relations = moved.programs.relations;
    question.refinement = moved.programs.refinement;
    question.required = moved.programs.refinement.outputs;
    question.static_verdict = Verdict::kProved;
    question.views = moved.views;
    const TraceFolder kept{folder.path()};
    question.base = kept.base();
    question.exact = kept.exact();
    question.ranks = kept.ranks();
    question.samples = kept.samples();
    question.further = kept.further();
    const DynamicReport compared = compare_traces(question);
    EXPECT_EQ(compared.verdict, run.verdict);
    EXPECT_EQ(compared.triage, run.triage);
    EXPECT_EQ(compared.verdict == RunVerdict::kDeviates, offset > 1);
  }
}

}  // namespace
}  // namespace assay
