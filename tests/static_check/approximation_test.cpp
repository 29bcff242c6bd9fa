// Approximations that the user accepts: each takes one operator out of the proof, and nothing else.
#include "shared_ir/case/approximation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/report/conclude.h"
#include "tests/support/centred_case.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const Case& refinement) {
  try {
    static_check(refinement, OperatorTable::builtin());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Approximation, IsNotMadeWithoutConsent) {
  EXPECT_EQ(prove(centred_case(Centring::kOwnMean).build()).report.verdict, Verdict::kUnproved);
}

TEST(Approximation, ProvesTheRestOfTheProgram) {
  const StaticResult result = prove(centred_by_accepted_means(Centring::kOwnMean));
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_THAT(result.report.outputs[0].relation, ElementsAre("concat(y@0, y@1; dim=0)"));
}

TEST(Approximation, IsListedWithItsReasonAndTheVerdictWithoutIt) {
  CaseReport report;
  report.name = "centred";
  report.statics = prove(centred_by_accepted_means(Centring::kOwnMean)).report;
  ASSERT_EQ(report.statics->approximations.size(), 1u);
  const ApproximationReport& accepted = report.statics->approximations[0];
  EXPECT_EQ(accepted.tensor, "m");
  EXPECT_EQ(accepted.op, "aten.mean.dim");
  EXPECT_EQ(accepted.source, "model.py:4");
  EXPECT_THAT(accepted.relation, ElementsAre("m@0", "m@1"));
  EXPECT_EQ(accepted.reason, kOwnMeans);
  EXPECT_EQ(report.statics->without_approximations, Verdict::kUnproved);
  EXPECT_THAT(report.statics->assumptions,
              Contains(std::string("accepted approximation: m = m@0 = m@1 in place of what "
                                   "aten.mean.dim at model.py:4 computes (") +
                       kOwnMeans + ")"));

  conclude(report, std::nullopt, RunAsked::kNo);
  EXPECT_EQ(report.exit, 0);
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("centred: proved, given 1 accepted approximation - "));
  EXPECT_THAT(text, HasSubstr("accepted approximations: 1   (without them: unproved)"));
  EXPECT_THAT(text, HasSubstr("m (aten.mean.dim) at model.py:4 counts as m@0  and  m@1"));
  EXPECT_THAT(text, HasSubstr(kOwnMeans));
}

TEST(Approximation, SurvivesTheReportsJson) {
  Report report;
  report.cases.emplace_back();
  report.cases[0].statics = prove(centred_by_accepted_means(Centring::kOwnMean)).report;
  const Report read = report_from_json(to_json(report), "report.json");
  EXPECT_EQ(to_json(read), to_json(report));
  ASSERT_EQ(read.cases[0].statics->approximations.size(), 1u);
  EXPECT_EQ(read.cases[0].statics->without_approximations, Verdict::kUnproved);
}

TEST(Approximation, StandsInTheCertificateAsAnAssumption) {
  const Certificate certificate = prove(centred_by_accepted_means(Centring::kOwnMean)).certificate;
  ASSERT_EQ(certificate.approximations.size(), 1u);
  EXPECT_EQ(certificate.approximations[0].tensor, "m");
  ASSERT_EQ(certificate.approximations[0].operands.size(), 2u);
  EXPECT_EQ(to_string(certificate.approximations[0].operands[1], Leaves::kSequential),
            "slice(h; dim=0, start=4, end=8)");
}

TEST(Approximation, ExcusesNoBugAfterIt) {
  const StaticResult result =
      prove(centred_by_accepted_means(Centring::kMeanAdded, Centring::kMeanAdded));
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  ASSERT_FALSE(result.report.failures.empty());
  EXPECT_EQ(result.report.failures[0].node, "y");
}

TEST(Approximation, ExcusesNoBugOnOneRankAfterIt) {
  EXPECT_EQ(prove(centred_by_accepted_means(Centring::kMeanAdded)).report.verdict,
            Verdict::kUnproved);
}

TEST(Approximation, ExcusesNoBugBeforeIt) {
  CaseReport report;
  report.statics = prove(centred_by_accepted_means(Centring::kMeanOfDoubled)).report;
  EXPECT_EQ(report.statics->verdict, Verdict::kUnproved);
  ASSERT_EQ(report.statics->failures.size(), 1u);
  const FailureReport& failure = report.statics->failures[0];
  EXPECT_EQ(failure.kind, "approximation");
  EXPECT_EQ(failure.node, "m");
  EXPECT_EQ(failure.nearest, "doubled@1");
  EXPECT_THAT(failure.reason, HasSubstr("the operator of rank 1 reads doubled@1, which is not made "
                                        "of what the sequential one reads (h)"));
  conclude(report, Accepted{{"m", "y"}, "tried"}, RunAsked::kNo);
  EXPECT_EQ(report.exit, 1) << "accepting outputs does not excuse an operand";
}

TEST(Approximation, OfASumLeavesItsPartsOpen) {
  CaseBuilder builder(2);
  const auto program = [](GraphBuilder& graph, int64_t tokens) {
    const TensorRef x = graph.input("x", {tokens, 4});
    const TensorRef peaks = graph.call("peaks", "aten.softmax.int", {x, 0}, {tokens, 4});
    return graph.call("total", "aten.sum.dim_IntList", {peaks, {0}}, {4});
  };
  builder.sequential().output(program(builder.sequential(), 8));
  for (int rank : {0, 1})
    builder.rank(rank).output(all_reduce(builder.rank(rank), "y", program(builder.rank(rank), 4)));
  builder.shard("x", 0);
  builder.expect("total", {"y@0", "y@1"});
  EXPECT_FALSE(proves(builder.build()));
  builder.approximate("peaks", {"concat(peaks@0, peaks@1; dim=0)"}, "each rank has its own peak");
  EXPECT_TRUE(proves(builder.build()));
}

TEST(NeedlessApproximation, OfWhatHoldsIsAnError) {
  Case refinement = centred_by_accepted_means(Centring::kWholeMean, Centring::kWholeMean);
  refinement.approximations[0].place = {"case.toml", 7, 3};
  EXPECT_THAT(error_of(refinement), HasSubstr("case.toml:7:3: the approximation of 'm' is not "
                                              "needed: the case is proved without it"));
}

TEST(NeedlessApproximation, BesideANeededOneIsAnError) {
  CaseBuilder builder = centred_case(Centring::kOwnMean);
  builder.approximate("m", {"m@0", "m@1"}, kOwnMeans);
  builder.approximate("h", {"concat(h@0, h@1; dim=0)"}, "to be sure");
  EXPECT_THAT(error_of(builder.build()),
              HasSubstr("the approximation of 'h' is not needed: its relation holds"));
}

TEST(ApproximatedTensors, AreThoseThatDependOnOne) {
  const Case refinement = centred_by_accepted_means(Centring::kOwnMean);
  const std::vector<bool> marked = approximated_tensors(refinement);
  const auto is_marked = [&](const char* name) {
    return marked[static_cast<size_t>(refinement.sequential.find(name))];
  };
  EXPECT_TRUE(is_marked("m"));
  EXPECT_TRUE(is_marked("y"));
  EXPECT_FALSE(is_marked("h"));
  EXPECT_FALSE(is_marked("x"));
}

}  // namespace
}  // namespace assay::test
