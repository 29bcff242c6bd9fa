// A program of refinement tests that a launcher has started once per rank, run as processes: one
// report, a lost rank named, nobody left.
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "dynamic_check/run/execute/processes/child_process.h"
#include "dynamic_check/run/execute/processes/tcp.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct RankOutput {
  std::string how;  // it ended
  std::string text;
};

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("GTEST_") && !text.starts_with("ASSAY_EXECUTOR=")) all.push_back(text);
  }
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

ChildCommand command(const std::string& filter, const std::vector<std::string>& variables) {
  return {LAUNCHED_RANKS,
          {LAUNCHED_RANKS, "--gtest_filter=" + filter},
          environment_with(variables),
          {}};
}

// The variables that a launcher gives one of two ranks.
std::vector<std::string> torchrun(int rank, int port) {
  return {"RANK=" + std::to_string(rank),
          "WORLD_SIZE=2",
          "LOCAL_RANK=" + std::to_string(rank),
          "LOCAL_WORLD_SIZE=2",
          "MASTER_ADDR=127.0.0.1",
          "MASTER_PORT=" + std::to_string(port)};
}

std::vector<std::string> mpirun(int rank, int) {
  return {"OMPI_COMM_WORLD_RANK=" + std::to_string(rank), "OMPI_COMM_WORLD_SIZE=2",
          "OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(rank), "OMPI_COMM_WORLD_LOCAL_SIZE=2"};
}

// Both ranks, from their start to their end.
std::vector<RankOutput> launch(const std::string& filter,
                               std::vector<std::string> (*variables)(int rank, int port)) {
  const int port = listen_tcp(true).port;  // free again at once
  std::vector<std::unique_ptr<ChildProcess>> ranks;
  for (int rank = 0; rank < 2; ++rank)
    ranks.push_back(std::make_unique<ChildProcess>(command(filter, variables(rank, port))));
  std::vector<RankOutput> outputs;
  for (const auto& rank : ranks) {
    outputs.push_back({rank->ended(60s).value_or("goes on"), ""});
    outputs.back().text = rank->last_output(100);
  }
  return outputs;
}

TEST(Launched, AllRanksTakePartAndRankZeroReports) {
  const auto ranks = launch("Launched.Right:Launched.Wrong", torchrun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 1");
  EXPECT_THAT(ranks[0].text, AllOf(HasSubstr("[       OK ] Launched.Right"),
                                   HasSubstr("Launched.Wrong (tp=2)"), HasSubstr("pending")));
  EXPECT_EQ(ranks[1].how, "ended with exit code 0");
  EXPECT_EQ(ranks[1].text, "Running main() from ./googletest/src/gtest_main.cc");
}

TEST(Launched, OnOneMachineMpirunNeedsNoAddress) {
  const auto ranks = launch("Launched.Right", mpirun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 0") << ranks[0].text;
  EXPECT_EQ(ranks[1].how, "ended with exit code 0") << ranks[1].text;
}

TEST(Launched, ATestOfAnotherNumberOfRanksIsSkippedAndSaysSo) {
  const auto ranks = launch("Launched.OfFourRanks", torchrun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 0");
  EXPECT_THAT(ranks[0].text, AllOf(HasSubstr("[  SKIPPED ] 1 test"),
                                   HasSubstr("this test has 4 ranks, and 2 were started")));
  EXPECT_EQ(ranks[1].how, "ended with exit code 0");
}

TEST(Launched, RanksThatAreAtDifferentTestsSaySo) {
  const int port = listen_tcp(true).port;
  ChildProcess first(command("Launched.Right", torchrun(0, port)));
  ChildProcess second(command("Launched.RightAfterALoss", torchrun(1, port)));
  EXPECT_EQ(first.ended(60s), "ended with exit code 1");
  EXPECT_THAT(first.last_output(100), HasSubstr("rank 1: it is at Launched.RightAfterALoss when "
                                                "rank 0 is at Launched.Right"));
  EXPECT_EQ(second.ended(10s), "ended with exit code 1");
}

TEST(Launched, ARankThatRunsATestAloneIsInStepAfterIt) {
  const int port = listen_tcp(true).port;
  ChildProcess first(command("Launched.Right:Launched.RightAfterALoss", torchrun(0, port)));
  ChildProcess second(command("Launched.RightAfterALoss", torchrun(1, port)));
  EXPECT_EQ(first.ended(60s), "ended with exit code 1");
  EXPECT_THAT(first.last_output(100), AllOf(HasSubstr("rank 0 is at Launched.Right"),
                                            HasSubstr("[       OK ] Launched.RightAfterALoss")));
  EXPECT_EQ(second.ended(10s), "ended with exit code 0");
}

std::vector<std::string> impatient_torchrun(int rank, int port) {
  std::vector<std::string> variables = torchrun(rank, port);
  variables.push_back("ASSAY_PATIENCE=2");
  return variables;
}

TEST(Launched, RanksDoNotWaitForTheProofOnly) {
  const auto ranks = launch("Launched.RightAfterASlowProof", impatient_torchrun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 0") << ranks[0].text;
  EXPECT_EQ(ranks[1].how, "ended with exit code 0") << ranks[1].text;
}

TEST(Launched, ARankThatDoesNotComeIsNamed) {
  ChildProcess alone(command("Launched.Right", impatient_torchrun(0, listen_tcp(true).port)));
  EXPECT_EQ(alone.ended(30s), "ended with exit code 1");
  EXPECT_THAT(alone.last_output(100),
              HasSubstr("of 2 ranks that were started, these did not come within 2 s: 1"));
}

TEST(Launched, ARankThatFindsNoRankZeroSaysSo) {
  ChildProcess alone(command("Launched.Right", impatient_torchrun(1, listen_tcp(true).port)));
  EXPECT_EQ(alone.ended(30s), "ended with exit code 1");
  EXPECT_THAT(alone.last_output(100), HasSubstr("[rank 1] rank 0 cannot be reached at port"));
}

TEST(Launched, AfterARankHasThrownTheOthersGoOn) {
  const auto ranks = launch("Launched.Throws*:Launched.RightAfterALoss", torchrun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 1");
  EXPECT_THAT(ranks[0].text,
              AllOf(HasSubstr("rank 1: out of luck"), HasSubstr("rank 0: out of luck"),
                    HasSubstr("[       OK ] Launched.RightAfterALoss")));
}

TEST(Launched, ARankThatDiesIsReportedByRankZero) {
  const auto ranks = launch("Launched.Dies:Launched.RightAfterALoss", torchrun);
  EXPECT_EQ(ranks[1].how, "was killed by signal 9 (Killed)");
  EXPECT_EQ(ranks[0].how, "ended with exit code 1");
  EXPECT_THAT(
      ranks[0].text,
      AllOf(HasSubstr("rank 1: its process is gone (its last collective: none)"),
            HasSubstr("the last operator of rank 1: aten.mm.default"),
            HasSubstr("rank 1 was lost in an earlier run"), Not(HasSubstr("[       OK ]"))));
}

TEST(Launched, RankZeroReportsALossBeforeItsLauncherEndsIt) {
  const auto ranks = launch("Launched.DiesAndAllAreToldToEnd", torchrun);
  EXPECT_EQ(ranks[0].how, "was killed by signal 15 (Terminated)");
  EXPECT_THAT(ranks[0].text, HasSubstr("rank 1: its process is gone"));
}

TEST(Launched, ARankThatHangsIsReportedAndEnds) {
  const auto ranks = launch("Launched.Hangs", torchrun);
  EXPECT_EQ(ranks[0].how, "ended with exit code 1");
  EXPECT_THAT(ranks[0].text, HasSubstr("rank 1 did not come"));
  EXPECT_EQ(ranks[1].how, "ended with exit code 1");
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    if (!std::getline(stat, text)) continue;
    // "pid (name) state parent ..."
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    char state;
    pid_t of = 0;
    if (rest >> state >> of && of == parent && state != 'Z') found.push_back(std::stoi(text));
  }
  return found;
}

template <class Condition>
bool within(std::chrono::milliseconds wait, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + wait;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

// As Ctrl-C and a kill do it, but to the leader alone.
class EndOfLeader : public testing::TestWithParam<int> {};

TEST_P(EndOfLeader, IsTheEndOfItsRanks) {
  const test::ScratchFolder scratch;
  const auto hangs = scratch.path() / "hangs";
  ChildProcess leader(
      command("Launched.Hangs", {"ASSAY_EXECUTOR=gloo", "HANGS_WHEN_MADE=" + hangs.string()}));
  ASSERT_TRUE(within(30s, [&] { return std::filesystem::exists(hangs); }));
  const std::vector<pid_t> ranks = children_of(leader.id());
  ASSERT_EQ(ranks.size(), 2u);
  ::kill(leader.id(), GetParam());
  ASSERT_TRUE(leader.ended(10s));
  for (const pid_t rank : ranks)
    EXPECT_TRUE(within(5s, [&] { return ::kill(rank, 0) != 0; })) << rank;
}

INSTANTIATE_TEST_SUITE_P(BySignal, EndOfLeader, testing::Values(SIGINT, SIGKILL));

}  // namespace
}  // namespace assay
