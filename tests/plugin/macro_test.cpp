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

#include "shared_ir/case.h"

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

std::filesystem::path scratch() {
  return std::filesystem::path(testing::TempDir()) /
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

Outcome run(const std::string& filter, const std::string& arguments = {}) {
  const std::string command = "ASSAY_SEED=5 ASSAY_BUNDLES=" + scratch().string() +
                              " " FAILING_TESTS " --gtest_filter=" + filter + " " + arguments +
                              " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), n);
  }
  outcome.exit = WEXITSTATUS(pclose(pipe));
  return outcome;
}

TEST(Macro, AFailureNamesTheLineTheReasonAndHowToRepeatIt) {
  const Outcome outcome = run("Failing.NoAllReduce");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(
      outcome.output,
      AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"),
            HasSubstr("Failing.NoAllReduce (tp=2)"), HasSubstr("sum"), HasSubstr("ASSAY_SEED=5"),
            HasSubstr("--gtest_filter=Failing.NoAllReduce"), HasSubstr("assay check ")));
}

TEST(Macro, AFailureLeavesACaseThatLoads) {
  run("Failing.NoAllReduce");
  EXPECT_EQ(load_case(scratch() / "Failing.NoAllReduce").ranks.size(), 2u);
  std::filesystem::remove_all(scratch());
}

TEST(Macro, VerdictRanksAndSeedAreProperties) {
  const auto xml = scratch() / "report.xml";
  run("Failing.NoAllReduce", "--gtest_output=xml:" + xml.string());
  std::stringstream text;
  text << std::ifstream(xml).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("name=\"verdict\" value=\"refuted\""),
                                HasSubstr("name=\"ranks\" value=\"2\""),
                                HasSubstr("name=\"seed\" value=\"5\"")));
  std::filesystem::remove_all(scratch());
}

TEST(Macro, FixturesAndSkipsWorkAsInGoogleTest) {
  const Outcome outcome = run("WithSetUp.Passes:Skipped.*");
  EXPECT_EQ(outcome.exit, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("[  PASSED  ] 1 test"), HasSubstr("[  SKIPPED ] 1 test")));
}

TEST(Macro, ATestThatChecksNothingFails) {
  EXPECT_THAT(run("Failing.NothingIsChecked").output, HasSubstr("nothing was checked"));
}

TEST(Macro, AWrongSentenceFailsAtItsLine) {
  const Outcome outcome = run("Failing.InputDeclaredTwice");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output, AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"),
                                    HasSubstr("there is already an input x")));
}

TEST(Macro, AnOptimizersStateLiesAsItsWeight) {
  EXPECT_EQ(run("WithSetUp.UpdatesAStateThatLiesAsItsWeight").exit, 0);
  EXPECT_THAT(
      run("Failing.StateOfNoWeight").output,
      AllOf(ContainsRegex("failing_tests.cpp:[0-9]+: Failure"), HasSubstr("no weight is named w")));
}

TEST(Macro, AMissingCaseFolderIsAFailureNotACrash) {
  const Outcome outcome = run("Failing.CaseFolderIsMissing");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.output, HasSubstr("/nowhere"));
}

TEST(Macro, ListsTestsUnderTheirOwnNames) {
  const std::string list = run("*", "--gtest_list_tests").output;
  EXPECT_THAT(list, AllOf(HasSubstr("Failing."), HasSubstr("  NoAllReduce\n"),
                          HasSubstr("WithSetUp."), Not(HasSubstr("GetParam"))));
}

}  // namespace
}  // namespace assay
