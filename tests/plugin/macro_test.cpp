// The macros as a user meets them: a program of refinement tests with stock gtest_main, run as a
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dynamic_check/cuda/gpus.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int exit = 0;
  std::string output;
};

class Macro : public testing::Test {
 protected:
  Outcome run(const std::string& filter, const std::string& arguments = {},
              const std::string& environment = {}) {
    const std::string command = "ASSAY_SEED=5 ASSAY_BUNDLES=" + scratch().string() + " " +
                                environment + " " FAILING_TESTS " --gtest_filter=" + filter + " " +
                                arguments + " 2>&1";
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      outcome.output.append(buffer.data(), n);
    }
    outcome.exit = WEXITSTATUS(pclose(pipe));
    return outcome;
  }

  const std::filesystem::path& scratch() const { return scratch_folder_.path(); }

  const test::ScratchFolder scratch_folder_;
};

TEST_F(Macro, WrongProgramsFailByProofAndByRun) {
  const Outcome outcome = run("WrongPrograms.*");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("6 FAILED TESTS"), Not(HasSubstr("because of an error")),
                    Not(HasSubstr("within tolerance on these inputs"))));
}

TEST_F(Macro, AFailureNamesTheLineTheReasonAndHowToRepeatIt) {
  const Outcome outcome = run("Failing.NoAllReduce");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(
      outcome.output,
      AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"),
            HasSubstr("Failing.NoAllReduce (tp=2)"), HasSubstr("sum"), HasSubstr("ASSAY_SEED=5"),
            HasSubstr("--gtest_filter=Failing.NoAllReduce"), HasSubstr("assay check ")));
}

// tests/cli plots such a report.
TEST_F(Macro, WritesItsReportWithTolerancesInOrderWhereAskedTo) {
  const auto folder = scratch() / "reports";
  run("Failing.NoAllReduce", "", "ASSAY_REPORTS=" + folder.string());
  const auto file = folder / "Failing.NoAllReduce.json";
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Report report = report_from_json(text, file.string());
  ASSERT_EQ(report.cases.size(), 1U);
  ASSERT_TRUE(report.cases[0].dynamic);
  const auto& tolerances = report.cases[0].dynamic->tolerances;
  ASSERT_FALSE(tolerances.empty());
  EXPECT_EQ(tolerances.back().tensor, "y");
  EXPECT_EQ(tolerances.back().op, "aten.mm.default");
  EXPECT_THAT(tolerances.back().source, HasSubstr("failing_tests.cpp"));
  EXPECT_FALSE(tolerances.back().within);
  EXPECT_THAT(tolerance_plot("NoAllReduce", *report.cases[0].dynamic), HasSubstr("<circle"));
}

TEST_F(Macro, TheReferenceRunsInTheStagesOfTheEnvironment) {
  const Outcome passes = run("WithSetUp.Passes", "", "ASSAY_REFERENCE_STAGES=cpu,cpu");
  EXPECT_EQ(passes.exit, 0) << passes.output;
  const auto folder = scratch() / "reports";
  const Outcome fails = run("Failing.NoAllReduce", "",
                            "ASSAY_REFERENCE_STAGES=cpu,cpu,cpu ASSAY_REPORTS=" + folder.string());
  EXPECT_THAT(fails.output, HasSubstr(" ASSAY_REFERENCE_STAGES=cpu,cpu,cpu "));
  std::ifstream stream(folder / "Failing.NoAllReduce.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Report report = report_from_json(text, "the report");
  ASSERT_TRUE(report.cases.at(0).dynamic);
  EXPECT_EQ(report.cases[0].dynamic->reference_stages.size(), 3U);
  const Outcome wrong = run("WithSetUp.Passes", "", "ASSAY_REFERENCE_STAGES=cpu,gpu7");
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.output, HasSubstr("a stage of the reference is to run on 'gpu7'"));
  const Outcome own = run("WithSetUp.NamesItsOwnStages", "", "ASSAY_REFERENCE_STAGES=cpu,gpu7");
  EXPECT_EQ(own.exit, 0) << own.output;
}

TEST_F(Macro, RunsOnTheDeviceOfTheEnvironment) {
  const Outcome cpu = run("WithSetUp.Passes", "", "ASSAY_DEVICE=cpu");
  EXPECT_EQ(cpu.exit, 0) << cpu.output;
  const Outcome wrong = run("WithSetUp.Passes", "", "ASSAY_DEVICE=gpu7");
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.output, HasSubstr("ASSAY_DEVICE is 'gpu7'\nset it to cpu or cuda"));
  const Outcome gpu = run("Failing.NoAllReduce", "", "ASSAY_DEVICE=cuda");
  if (usable_gpus() == 0) {
    EXPECT_EQ(gpu.exit, 0);
    EXPECT_THAT(gpu.output, HasSubstr("this test is to run on a GPU, and this process sees none"));
    EXPECT_THAT(gpu.output, HasSubstr("[  SKIPPED ] 1 test"));
  } else {
    EXPECT_EQ(gpu.exit, 1);
    EXPECT_THAT(gpu.output, HasSubstr(" ASSAY_DEVICE=cuda "));
  }
}

TEST_F(Macro, AFailureLeavesACaseThatLoads) {
  run("Failing.NoAllReduce");
  EXPECT_EQ(load_case(scratch() / "Failing.NoAllReduce").ranks.size(), 2u);
}

TEST_F(Macro, AFailureWhoseCaseCannotBeKeptSaysSo) {
  const auto file = scratch_folder_.write("file", "");
  const Outcome outcome =
      run("Failing.NoAllReduce", "", "ASSAY_BUNDLES=" + (file / "below").string());
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output,
              AllOf(ContainsRegex("no replay: .*/file/below/Failing.NoAllReduce: cannot make this "
                                  "folder: .*; ASSAY_BUNDLES names another folder"),
                    Not(HasSubstr("assay check "))));
}

TEST_F(Macro, VerdictRanksAndSeedAreProperties) {
  const auto xml = scratch() / "report.xml";
  run("Failing.NoAllReduce", "--gtest_output=xml:" + xml.string());
  std::stringstream text;
  text << std::ifstream(xml).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("name=\"verdict\" value=\"refuted\""),
                                HasSubstr("name=\"ranks\" value=\"2\""),
                                HasSubstr("name=\"seed\" value=\"5\"")));
}

TEST_F(Macro, FixturesAndSkipsWorkAsInGoogleTest) {
  const Outcome outcome = run("WithSetUp.Passes:Skipped.*");
  EXPECT_EQ(outcome.exit, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("[  PASSED  ] 1 test"), HasSubstr("[  SKIPPED ] 1 test")));
}

TEST_F(Macro, ATestThatChecksNothingFails) {
  EXPECT_THAT(run("Failing.NothingIsChecked").output, HasSubstr("nothing was checked"));
}

TEST_F(Macro, AWrongSentenceFailsAtItsLine) {
  const Outcome outcome = run("Failing.InputDeclaredTwice");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output, AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"),
                                    HasSubstr("there is already an input x")));
}

TEST_F(Macro, AnOptimizersStateLiesAsItsWeight) {
  EXPECT_EQ(run("WithSetUp.UpdatesAStateThatLiesAsItsWeight").exit, 0);
  EXPECT_THAT(
      run("Failing.StateOfNoWeight").output,
      AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"), HasSubstr("no weight is named w")));
}

TEST_F(Macro, AMissingCaseFolderIsAFailureNotACrash) {
  const Outcome outcome = run("Failing.CaseFolderIsMissing");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output, HasSubstr("/nowhere"));
}

TEST_F(Macro, ListsTestsUnderTheirOwnNames) {
  const std::string list = run("*", "--gtest_list_tests").output;
  EXPECT_THAT(list, AllOf(HasSubstr("Failing."), HasSubstr("  NoAllReduce\n"),
                          HasSubstr("WithSetUp."), Not(HasSubstr("GetParam"))));
}

}  // namespace
}  // namespace assay
