#include "shared_ir/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "shared_ir/base/error.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

CaseReport proved() {
  CaseReport report;
  report.name = "mlp";
  report.verdict = Verdict::kProved;
  report.exit = 0;
  StaticReport& proof = report.statics.emplace();
  proof.verdict = Verdict::kProved;
  proof.outputs = {{"loss", Verdict::kProved, {"loss@0", "loss@1"}, false},
                   {"grad.up", Verdict::kProved, {"concat(grad.up@0, grad.up@1; dim=0)"}, false}};
  proof.assumptions = {"real arithmetic", "ids lie in [0, 64)"};
  proof.counts = {24, 52, 310, {{"log-sum-exp merge", 1}}};
  proof.ms = {0.4, 1.25};
  DynamicReport& run = report.dynamic.emplace();
  run.verdict = RunVerdict::kAgrees;
  run.compared = 23;
  run.skipped = 1;
  run.skipped_why = {"mask: never written"};
  run.triage = "pass";
  run.precision = "float32";
  run.family_false_positive_rate = 1e-5;
  run.samples = 10;
  run.tolerance_factor = 9.5;
  run.seed = 7;
  run.tolerances = {{"loss", 3e-6, 1e-7, "aten.mean.default", "mlp.cpp:14", true}};
  run.ms = 41;
  return report;
}

CaseReport missing_all_reduce() {
  CaseReport report = proved();
  report.verdict = Verdict::kRefuted;
  report.exit = 1;
  StaticReport& proof = *report.statics;
  proof.verdict = Verdict::kUnproved;
  proof.unanswered = {"z3: no answer to 1 query within 100 ms"};
  proof.outputs[0] = {"loss", Verdict::kUnproved, {"sum(loss@0, loss@1)"}, true};
  for (int i = 0; i < 5; ++i) {
    FailureReport failure;
    failure.kind = "no_relation";
    failure.node = "gelu_" + std::to_string(i);
    failure.op = "aten.gelu.default";
    failure.source = "mlp.cpp:12";
    failure.inputs = {{"mm", Verdict::kProved, {"sum(mm@0, mm@1)"}, true}};
    failure.nearest = "gelu_" + std::to_string(i) + "@0";
    failure.distributed_source = "mlp_tp.cpp:31";
    failure.reason = "its input is a partial sum over tp";
    failure.hint = "a reduction over tp is missing before this operator";
    proof.failures.push_back(failure);
  }
  DynamicReport& run = *report.dynamic;
  run.verdict = RunVerdict::kDeviates;
  run.triage = "logic";
  run.deviations = 9;
  run.first_deviation = DeviationReport{
      "gelu_0", "aten.gelu.default", "mlp.cpp:12", "value", 0.71, 2e-6, {0, 1}, "in row 3"};
  return report;
}

CaseReport broken() {
  CaseReport report;
  report.name = "broken";
  report.verdict = Verdict::kError;
  report.exit = 2;
  report.error = "case.toml:3:1: unknown key 'graph' in [sequential] <&\">";
  report.notes = {"no replay: the module is missing"};
  return report;
}

TEST(ReportJson, IsAsDesigned) {
  test::expect_golden("report/report.json", to_json({{proved(), missing_all_reduce(), broken()}}));
}

TEST(ReportJson, ReadingWhatWasWrittenIsTheIdentity) {
  const std::string text = to_json({{proved(), missing_all_reduce(), broken()}});
  EXPECT_EQ(to_json(report_from_json(text, "report.json")), text);
}

TEST(ReportJson, KeepsWhyTolerancesWereNotRaised) {
  CaseReport report = missing_all_reduce();
  report.dynamic->not_raised = "no case has the graphs";
  EXPECT_THAT(to_text(report), HasSubstr("as they do in a check: no case has the graphs"));
  const Report read = report_from_json(to_json({{report}}), "report.json");
  EXPECT_EQ(read.cases.at(0).dynamic->not_raised, "no case has the graphs");
}

TEST(ReportJson, KeepsTheStagesOfTheReference) {
  CaseReport report = missing_all_reduce();
  EXPECT_THAT(to_text(report), Not(HasSubstr("in stages")));
  report.dynamic->reference_stages = {{"cuda:0", 1'250'000'000}, {"cpu", 2'000'000}};
  EXPECT_THAT(to_text(report),
              HasSubstr("the reference ran from its graph, in stages: cuda:0 (at most 1.2 GB), cpu "
                        "(at most 2.0 MB)"));
  const std::string text = to_json({{report}});
  EXPECT_EQ(to_json(report_from_json(text, "report.json")), text);
  const Report read = report_from_json(text, "report.json");
  ASSERT_EQ(read.cases.at(0).dynamic->reference_stages.size(), 2U);
  EXPECT_EQ(read.cases[0].dynamic->reference_stages[1].device, "cpu");
}

TEST(ReportJson, KeepsWhatTheRunLeftOutAndWhoJudgedIt) {
  CaseReport report = missing_all_reduce();
  DynamicReport& run = *report.dynamic;
  run.flips = {"ids: flips under rounding: margin: 2 of 64 elements differ"};
  run.uncompared = {"y: decided by rounding alone"};
  run.incomplete = {"a further run, which may raise tolerances: no memory"};
  run.guessed_inputs = {"norm: a scale, near 1"};
  run.operators = {.total = 9,
                   .views = 2,
                   .judged = {{"exact reference", 4}, {"itself", 2}},
                   .not_judged = {"aten.rand.default (1): it draws random numbers"},
                   .not_judged_count = 1};
  run.tolerances.emplace_back().excess_noise = 40;
  report.statics->lemmas = {{"mine", false, {"d = 1"}, 300, {"exp_sum"}, {"float64: left is 1"}}};
  const std::string printed = to_text(report);
  EXPECT_THAT(printed, HasSubstr("of the ranks' 9 operators, 6 were judged (4 by exact reference, "
                                 "2 by itself); 2 are views, 1 were not judged"));
  EXPECT_THAT(printed, HasSubstr("not judged: aten.rand.default (1): it draws random numbers"));
  EXPECT_THAT(printed, HasSubstr("not compared, so no pass: output y: decided by rounding alone"));
  EXPECT_THAT(printed, HasSubstr("could not be run: a further run"));
  EXPECT_THAT(printed, HasSubstr("values drawn as the shape suggests: norm: a scale"));
  EXPECT_THAT(printed, HasSubstr("mine: float64: left is 1"));
  const std::string text = to_json({{report}});
  EXPECT_EQ(to_json(report_from_json(text, "report.json")), text);
  EXPECT_EQ(
      report_from_json(text, "report.json").cases.at(0).dynamic->tolerances.back().excess_noise,
      40);
}

TEST(ReportJson, NumbersThatAreNotFiniteAreNull) {
  CaseReport report = missing_all_reduce();
  report.dynamic->first_deviation->error = std::numeric_limits<double>::quiet_NaN();
  const std::string text = to_json({{report}});
  EXPECT_THAT(text, HasSubstr("\"error\": null"));
  EXPECT_NO_THROW(report_from_json(text, "report.json"));
}

TEST(ReportJson, WhatIsNoReportIsRejected) {
  for (const std::string text : {"", "{}", "[]", R"({"tool":"assay","schema":2,"cases":[]})",
                                 R"({"tool":"assay","schema":1,"cases":[{}]})",
                                 R"({"tool":"assay","schema":1e52,"cases":[]})",
                                 R"({"tool":"assay","schema":18446744073709551617,"cases":[]})"}) {
    try {
      report_from_json(text, "report.json");
      ADD_FAILURE() << "read: " << text;
    } catch (const UserError& error) {
      EXPECT_EQ(error.place().file, "report.json") << text;
    }
  }
}

TEST(ReportText, OfAPass) { test::expect_golden("report/proved.txt", to_text(proved())); }

TEST(ReportText, OfABug) {
  test::expect_golden("report/missing_all_reduce.txt", to_text(missing_all_reduce()));
}

TEST(ReportText, OfBadInput) { test::expect_golden("report/broken.txt", to_text(broken())); }

TEST(ReportText, FitsAScreenHoweverMuchThereIsToSay) {
  CaseReport report = missing_all_reduce();
  OperatorCounts& unjudged = report.dynamic->operators.emplace();
  for (int i = 0; i < 500; ++i) {
    report.statics->outputs.push_back(
        {"w" + std::to_string(i), Verdict::kProved, {std::string(5000, 'x')}, false});
    report.statics->assumptions.push_back("assumption");
    report.statics->failures.push_back(report.statics->failures.front());
    for (auto* remarks :
         {&report.dynamic->flips, &report.dynamic->uncompared, &report.dynamic->incomplete,
          &report.dynamic->guessed_inputs, &report.dynamic->skipped_why, &unjudged.not_judged})
      remarks->push_back("remark");
  }
  const std::string text = to_text(report);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_THAT(text, HasSubstr("... and 490 more outputs"));
}

TEST(ReportText, SaysThatAnUnprovedOutputWasAccepted) {
  CaseReport report = proved();
  report.verdict = Verdict::kUnproved;
  EXPECT_THAT(to_text(report), HasSubstr("unproved (accepted)"));
  report.exit = 1;
  EXPECT_THAT(to_text(report), Not(HasSubstr("(accepted)")));
}

TEST(ReportJUnit, CountsFailuresAndErrors) {
  const std::string xml = to_junit({{proved(), missing_all_reduce(), broken()}});
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("&lt;&amp;&quot;&gt;"));
}

TEST(ReportHtml, EscapesTextAndListsEveryCase) {
  const std::string html = to_html({{proved(), broken()}});
  EXPECT_THAT(html, HasSubstr("<tr class=\"pass\"><td><a href=\"#case-0\">mlp</a>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"fail\"><td><a href=\"#case-1\">broken</a>"));
  EXPECT_THAT(html, HasSubstr("&lt;&amp;&quot;&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace assay
