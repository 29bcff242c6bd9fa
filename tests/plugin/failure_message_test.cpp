// The text that a failing test prints, against golden files.
#include "gtest_plugin/failure_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay {
namespace {

constexpr int kScreen = 32;  // lines

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(std::getenv("ASSAY_SOURCE_DIR")) / "tests/plugin/golden" /
         (name + ".txt");
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("ASSAY_REGENERATE") != nullptr) std::ofstream(golden(name)) << text;
  std::stringstream expected;
  expected << std::ifstream(golden(name)).rdbuf();
  EXPECT_EQ(text, expected.str()) << "ASSAY_REGENERATE=1 writes " << golden(name);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kScreen);
}

FailureContext context() {
  return {"Mlp.ColumnThenRowParallel", "./mlp_test", Mesh({{"tp", 2}}), 7,
          "/tmp/assay/Mlp.ColumnThenRowParallel"};
}

CaseReport missing_all_reduce() {
  CaseReport report;
  report.verdict = Verdict::kRefuted;
  StaticReport& proof = report.statics.emplace();
  proof.verdict = Verdict::kUnproved;
  proof.outputs = {{"y", Verdict::kUnproved, {"sum(mm_1@0, mm_1@1)"}, true}};
  FailureReport failure;
  failure.kind = "expectation";
  failure.node = "mm_1";
  failure.op = "aten.mm.default";
  failure.source = "mlp_test.cpp:14";
  failure.inputs = {{"gelu", Verdict::kProved, {"concat(gelu@0, gelu@1; dim=1)"}, false},
                    {"down", Verdict::kProved, {"concat(down@0, down@1; dim=1)"}, false}};
  failure.nearest = "mm_1@0";
  failure.distributed_source = "mlp_test.cpp:17";
  failure.reason = "a partial sum over tp; a reduction is missing";
  failure.hint = "the all_reduce after mlp_test.cpp:17";
  proof.failures = {failure};
  return report;
}

DynamicReport deviation(const std::string& triage) {
  DynamicReport run;
  run.verdict = RunVerdict::kDeviates;
  run.precision = "float32";
  run.seed = 7;
  run.compared = 12;
  run.deviations = 3;
  run.triage = triage;
  run.first_deviation = DeviationReport{
      "mm_1", "aten.mm.default", "mlp_test.cpp:17", "value", 0.71, 3.1e-7, {0, 1}, ""};
  return run;
}

TEST(FailureMessage, ProofFailsAndRunDeviates) {
  CaseReport report = missing_all_reduce();
  report.dynamic = deviation("logic");
  expect_golden("logic", failure_message(report, context()));
  EXPECT_EQ(to_string(failure_place(report)), "mlp_test.cpp:17");
}

// What the nearest candidate looks like leads astray then.
TEST(FailureMessage, ProofAskedAndGotNoAnswer) {
  CaseReport report = missing_all_reduce();
  report.statics->unanswered = {
      "z3: not asked 1 query: libassay_smt.so is in no folder of modules"};
  report.dynamic = deviation("logic");
  expect_golden("unanswered", failure_message(report, context()));
}

TEST(FailureMessage, ProofHoldsAndRunDeviates) {
  CaseReport report;
  report.verdict = Verdict::kRefuted;
  report.statics.emplace().verdict = Verdict::kProved;
  report.dynamic = deviation("kernel");
  expect_golden("kernel", failure_message(report, context()));
  EXPECT_EQ(to_string(failure_place(report)), "mlp_test.cpp:17");
}

TEST(FailureMessage, RankIsGone) {
  CaseReport report;
  report.verdict = Verdict::kError;
  report.statics.emplace().verdict = Verdict::kProved;
  DynamicReport& run = report.dynamic.emplace();
  run.verdict = RunVerdict::kFailed;
  run.precision = "float32";
  run.seed = 7;
  run.deviations = 1;
  run.triage = "runtime";
  run.first_deviation = DeviationReport{
      "",
      "aten.mm.default",
      "mlp_test.cpp:17",
      "run_failed",
      0,
      0,
      {1},
      "rank 1: its process is gone (its last collective: none); the last operator of rank 1: "
      "aten.mm.default (mlp_test.cpp:17)"};
  expect_golden("unfinished", failure_message(report, context()));
  EXPECT_EQ(to_string(failure_place(report)), "mlp_test.cpp:17");
}

TEST(FailureMessage, ErrorOfTheUser) {
  CaseReport report;
  report.verdict = Verdict::kError;
  report.error =
      "mlp_test.cpp:12: up is placed Shard(\"tp\", 3): it has no dimension 3\ndimensions are 0 to "
      "1";
  FailureContext without_bundle = context();
  without_bundle.bundle.clear();
  expect_golden("error", failure_message(report, without_bundle));
  EXPECT_FALSE(failure_place(report).known());
}

TEST(FailureMessage, LongListsStayOnOneScreen) {
  CaseReport report = missing_all_reduce();
  FailureReport& failure = report.statics->failures.front();
  failure.inputs.assign(100, {"very_long_name", Verdict::kProved, {std::string(1000, 'x')}, false});
  report.statics->outputs.assign(100, {"y", Verdict::kUnproved, {}, false});
  report.statics->failures.assign(100, failure);
  report.dynamic = deviation("logic");
  const std::string text = failure_message(report, context());
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kScreen);
  EXPECT_LE(text.size(), 4000u);
}

}  // namespace
}  // namespace assay
