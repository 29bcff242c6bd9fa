// `assay compare` on traces of the small case, which need no LibTorch to be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "shared_ir/report/report.h"
#include "shared_ir/trace/trace_writer.h"
#include "tests/cli/run_assay.h"
#include "tests/support/small_case.h"

namespace assay {
namespace {

using test::Outcome;
using test::quoted;
using test::run_assay;
using test::ScratchFolder;
using testing::HasSubstr;

constexpr int64_t kRows = 8, kColumns = 6;

// x of rows [begin, end), which rounding has moved by `noise`; c; y = relu(x) and z = x + c.
struct SmallRun {
  int64_t begin = 0, end = kRows;
  Rank rank = 0, world_size = 1;
  float noise = 0;
  float error = 0;  // added to the last element of z
  bool has_y = true;
};

void record(const std::filesystem::path& file, const SmallRun& run) {
  std::vector<float> x, y, z, c(kColumns, 0.5f);
  for (int64_t i = run.begin * kColumns; i < run.end * kColumns; ++i)
    x.push_back(static_cast<float>(i % 7 - 3) * (1 + run.noise));
  for (const float element : x) {
    y.push_back(std::max(element, 0.0f));
    z.push_back(element + 0.5f);
  }
  z.back() += run.error;
  TraceWriter trace(file, {"small", run.rank, run.world_size, DType::kFloat32, 1, "a test"});
  const auto add = [&](const char* name, const char* op, const char* source,
                       const std::vector<float>& values, const Shape& shape) {
    trace.add({name, op, source, DType::kFloat32, shape}, std::as_bytes(std::span(values)));
  };
  const Shape shape{run.end - run.begin, kColumns};
  add("x", "", "", x, shape);
  add("c", "", "", c, {kColumns});
  if (run.has_y) add("y", "aten.relu.default", "model.py:7", y, shape);
  add("z", "aten.add.Tensor", "model.py:8", z, shape);
  trace.finish();
}

// The small case with the traces of its check.
class CompareCommand : public testing::Test {
 protected:
  CompareCommand() {
    test::write_files(folder_, test::small_case_files());
    record(file("base"), {});
    for (int i = 1; i <= 3; ++i)
      record(file("sample" + std::to_string(i)), {.noise = 1e-7f * static_cast<float>(i)});
    record_ranks(0);
  }

  void record_ranks(float error) const {
    record(file("rank0"), {.end = kRows / 2, .world_size = 2});
    record(file("rank1"),
           {.begin = kRows / 2, .rank = 1, .world_size = 2, .noise = 1e-7f, .error = error});
  }

  std::filesystem::path file(const std::string& name) const {
    return folder_.path() / (name + ".trace");
  }

  std::string ranks() const { return "--rank" + quoted(file("rank1")) + quoted(file("rank0")); }

  ScratchFolder folder_;
};

TEST_F(CompareCommand, AFolderWithItsTracesIsWithinTolerance) {
  const Outcome outcome = run_assay("compare" + quoted(folder_.path()));
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("small: proved"));
  EXPECT_THAT(outcome.text, HasSubstr("run: within tolerance   float32 (seed 1)"));
  EXPECT_THAT(outcome.text, HasSubstr("tolerances from 3 perturbed runs"));
  EXPECT_THAT(outcome.text, HasSubstr("triage: pass"));
}

TEST_F(CompareCommand, ADeviationExitsWithOneAndNamesTheOperator) {
  record_ranks(0.01f);
  const auto json = folder_.path() / "out.json";
  const Outcome outcome = run_assay("compare" + quoted(folder_.path()) + "--json" + quoted(json));
  EXPECT_EQ(outcome.exit, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("z (aten.add.Tensor) at model.py:8"));
  const Report report = report_from_json(test::read_file(json), json.string());
  ASSERT_TRUE(report.cases.at(0).dynamic);
  const DynamicReport& dynamic = *report.cases[0].dynamic;
  EXPECT_EQ(dynamic.triage, "kernel") << "z is wrong on right inputs";
  EXPECT_EQ(dynamic.samples, 3);
  EXPECT_EQ(report.cases[0].verdict, Verdict::kRefuted);
}

// What is allowed of z.
double allowed(const DynamicReport& report) {
  for (const DynamicReport::Tolerance& one : report.tolerances)
    if (one.tensor == "z") return one.allowed;
  return 0;
}

TEST_F(CompareCommand, FurtherRunsRaiseWhatIsAllowedWhereSomethingDeviates) {
  record_ranks(0.01f);
  const auto json = folder_.path() / "out.json";
  const auto compared = [&] {
    run_assay("compare" + quoted(folder_.path()) + "--json" + quoted(json));
    return *report_from_json(test::read_file(json), json.string()).cases.at(0).dynamic;
  };
  const double before = allowed(compared());
  for (const int run : {1, 2, 3}) record(file("further" + std::to_string(run)), {.noise = 1e-4f});
  const DynamicReport after = compared();
  EXPECT_GT(allowed(after), 100 * before);
  EXPECT_EQ(after.samples, 3);
}

TEST_F(CompareCommand, WithoutACaseTheReportSaysThatTolerancesWereNotRaised) {
  record_ranks(0.01f);
  const auto json = folder_.path() / "proof.json";
  run_assay("check --static-only --relations" + quoted(folder_.path()) + "--json" + quoted(json));
  const Outcome outcome =
      run_assay("compare" + quoted(json) + "--base" + quoted(file("base")) + ranks() + "--sample" +
                quoted(file("sample1")) + quoted(file("sample2")) + quoted(file("sample3")));
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.text, HasSubstr("did not raise the tolerances"));
}

TEST_F(CompareCommand, ABoundStandsInForTheSamplesOfTheFolder) {
  const auto json = folder_.path() / "out.json";
  const Outcome outcome =
      run_assay("compare --bound 1" + quoted(folder_.path()) + "--json" + quoted(json));
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  const Report report = report_from_json(test::read_file(json), json.string());
  EXPECT_EQ(report.cases.at(0).dynamic->samples, 0);
}

TEST_F(CompareCommand, TheExactRunOfTheFolderIsTaken) {
  record(file("exact"), {});
  const Outcome outcome = run_assay("compare" + quoted(folder_.path()));
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_THAT(outcome.text, HasSubstr("exact.trace: this run is in float32"));
}

TEST_F(CompareCommand, RelationsOfAReportDoAsWell) {
  const auto json = folder_.path() / "proof.json";
  run_assay("check --static-only --relations" + quoted(folder_.path()) + "--json" + quoted(json));
  const std::string question =
      "compare" + quoted(json) + "--base" + quoted(file("base")) + ranks() + "--bound 1e-5";
  const Outcome right = run_assay(question);
  EXPECT_EQ(right.exit, 0) << right.text;
  EXPECT_THAT(right.text, HasSubstr("no chance of a false alarm can be stated"));
  record_ranks(0.01f);
  const Outcome wrong = run_assay(question);
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.text, HasSubstr("triage: deviation"));
}

TEST_F(CompareCommand, OutputsMustBeInTheBase) {
  record(file("base"), {.has_y = false});
  const Outcome of_case = run_assay("compare" + quoted(folder_.path()));
  EXPECT_EQ(of_case.exit, 2);
  EXPECT_THAT(of_case.text, HasSubstr("there is no tensor 'y', which must be compared"));
  const auto json = folder_.path() / "proof.json";
  run_assay("check --static-only --relations" + quoted(folder_.path()) + "--json" + quoted(json));
  const Outcome of_report =
      run_assay("compare --bound 1" + quoted(json) + "--base" + quoted(file("base")) + ranks());
  EXPECT_EQ(of_report.exit, 2);
  EXPECT_THAT(of_report.text, HasSubstr("there is no tensor 'y', which must be compared"));
}

TEST_F(CompareCommand, AReportMustBeOfOneProof) {
  const auto json = folder_.path() / "report.json";
  const std::string question =
      "compare --bound 1" + quoted(json) + "--base" + quoted(file("base")) + ranks();
  run_assay("check --static-only" + quoted(folder_.path()) + "--json" + quoted(json));
  EXPECT_THAT(run_assay(question).text, HasSubstr("only these are compared"));
  run_assay("check --static-only" + quoted(folder_.path()) + quoted(folder_.path()) + "--json" +
            quoted(json));
  const Outcome two = run_assay(question);
  EXPECT_EQ(two.exit, 2);
  EXPECT_THAT(two.text, HasSubstr("this report is not of one proof"));
}

TEST_F(CompareCommand, TwoTracesAreComparedByTheNamesOfTensors) {
  const std::string two =
      "compare --base" + quoted(file("base")) + "--rank" + quoted(file("sample3"));
  const Outcome within = run_assay(two + "--bound 1e-6");
  EXPECT_EQ(within.exit, 0) << within.text;
  EXPECT_THAT(within.text, HasSubstr("base.trace: within tolerance"));
  EXPECT_THAT(within.text, HasSubstr("nothing is proved"));
  const auto json = folder_.path() / "out.json";
  const Outcome outside = run_assay(two + "--bound 1e-8 --json" + quoted(json));
  EXPECT_EQ(outside.exit, 1);
  EXPECT_THAT(outside.text, HasSubstr("first of 3 deviations: x"));
  const Report report = report_from_json(test::read_file(json), json.string());
  EXPECT_EQ(report.cases.at(0).dynamic->bound, 1e-8);
}

TEST_F(CompareCommand, AnAgreementIsNoProof) {
  const auto json = folder_.path() / "out.json";
  run_assay("compare --base" + quoted(file("base")) + "--rank" + quoted(file("base")) +
            "--bound 0 --json" + quoted(json));
  const Report report = report_from_json(test::read_file(json), json.string());
  EXPECT_EQ(report.cases.at(0).verdict, Verdict::kUnproved);
  EXPECT_EQ(report.cases[0].exit, 0);
}

TEST_F(CompareCommand, BadTracesExitWithTwoAndNameTheFile) {
  std::filesystem::resize_file(file("sample2"), 100);
  const Outcome truncated = run_assay("compare" + quoted(folder_.path()));
  EXPECT_EQ(truncated.exit, 2) << truncated.text;
  EXPECT_THAT(truncated.text, HasSubstr("sample2.trace: the recording did not end"));
  const Outcome foreign =
      run_assay("compare --bound 1 --base" + quoted(folder_.path() / "case.toml") + "--rank" +
                quoted(file("base")));
  EXPECT_EQ(foreign.exit, 2);
  EXPECT_THAT(foreign.text, HasSubstr("case.toml: this is no trace"));
}

TEST_F(CompareCommand, QuestionsThatLackARunExitWithTwoAndSayWhich) {
  const std::string base = "--base" + quoted(file("base"));
  const std::vector<std::pair<std::string, std::string>> questions = {
      {"compare --bound 1", "which run is the base?"},
      {"compare --bound 1 " + base, "nothing to compare"},
      {"compare --bound 1 " + base + ranks(), "without relations"},
      {"compare " + base + "--rank" + quoted(file("base")), "at least 3 perturbed runs"},
      {"compare --bound 1 " + base + "--rank" + quoted(file("base")) + "--sample" +
           quoted(file("sample1")),
       "not from both"},
      {"compare --bound 1 " + quoted(folder_.path()) + base + "--rank" + quoted(file("rank1")),
       "there is no trace of rank 0 of 2"},
  };
  for (const auto& [arguments, message] : questions) {
    const Outcome outcome = run_assay(arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments;
    EXPECT_THAT(outcome.text, HasSubstr(message));
  }
}

}  // namespace
}  // namespace assay
