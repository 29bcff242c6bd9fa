// A program of refinement tests under the launchers that are on this machine, and on two machines
// as far as their network goes. What a launcher prints itself is its own affair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "dynamic_check/run/execute/processes/child_process.h"
#include "dynamic_check/run/execute/processes/tcp.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::HasSubstr;

struct Output {
  std::string how;  // the launcher ended
  std::string text;
};

// `command` in a shell. ChildProcess keeps the end of what is printed: it goes to a file.
Output in_shell(const std::string& command, const std::vector<std::string>& variables = {}) {
  const test::ScratchFolder scratch;
  const auto file = scratch.path() / "output";
  std::vector<std::string> environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("GTEST_") && !text.starts_with("ASSAY_EXECUTOR="))
      environment.push_back(text);
  }
  ChildProcess shell(
      {"/bin/bash", {"bash", "-c", command + " >" + file.string() + " 2>&1"}, environment, {}});
  Output output{shell.ended(100s).value_or("goes on"), ""};
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  output.text = text.str();
  return output;
}

struct Launcher {
  const char* name;
  const char* is_here;    // a command that ends well where the launcher can be used
  const char* two_ranks;  // starts the program that follows, twice; RESTARTS and PORT may say more
};

#define TORCHRUN "PYTHONPATH=" TORCH_PYTHONPATH " python3 -W ignore "
// As mpirun sees them, the cores of a machine that builds are too few, and root is nobody to trust.
#define MPIRUN \
  "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "
#define SRUN "srun --immediate=10 -n 2 "

constexpr Launcher kLaunchers[] = {
    {"torchrun", TORCHRUN "-c 'import torch.distributed.run'",
     TORCHRUN "-m torch.distributed.run --no-python --nproc-per-node 2 --master-port $PORT "
              "--max-restarts ${RESTARTS:-0} "},
    {"mpirun", MPIRUN "true", MPIRUN},
    {"srun", SRUN "true", SRUN},
};

Output launch(const Launcher& launcher, const std::string& arguments, int restarts = 0) {
  const int port = listen_tcp(true).port;  // free again at once
  return in_shell(std::string(launcher.two_ranks) + LAUNCHED_RANKS + " " + arguments,
                  {"PORT=" + std::to_string(port), "RESTARTS=" + std::to_string(restarts)});
}

// Why not; empty: it is.
std::string not_here(const Launcher& launcher) {
  const bool here = in_shell(launcher.is_here).how == "ended with exit code 0";
  return here ? "" : std::string(launcher.name) + " does not start processes here";
}

class Launchers : public testing::TestWithParam<Launcher> {
 protected:
  void SetUp() override {
    const std::string reason = not_here(GetParam());
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

size_t occurrences(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_P(Launchers, AllRanksTakePartAndRankZeroReports) {
  const test::ScratchFolder scratch;
  const auto results = scratch.path() / "results.xml";
  const Output output = launch(
      GetParam(),
      "--gtest_filter=Launched.Right:Launched.Wrong:Launched.OfFourRanks --gtest_output=xml:" +
          results.string());
  EXPECT_EQ(output.how, "ended with exit code 1");
  EXPECT_EQ(occurrences(output.text, "Launched.Right ("), 1u) << output.text;
  EXPECT_EQ(occurrences(output.text, "Launched.Wrong (tp=2): proof: unproved; run: deviates"), 1u);
  EXPECT_EQ(occurrences(output.text, "this test has 4 ranks, and 2 were started"), 1u);
  std::ostringstream xml;
  xml << std::ifstream(results).rdbuf();
  EXPECT_THAT(xml.str(), AllOf(HasSubstr("tests=\"3\" failures=\"1\""),
                               HasSubstr("name=\"verdict\" value=\"proved\"")));
}

TEST_P(Launchers, ARankThatDiesIsNamed) {
  const Output output = launch(GetParam(), "--gtest_filter=Launched.Dies");
  EXPECT_NE(output.how, "ended with exit code 0");
  EXPECT_THAT(output.text,
              AllOf(HasSubstr("Launched.Dies (tp=2): proof: proved; run: did not finish"),
                    HasSubstr("rank 1: its process is gone (its last collective: none); the last "
                              "operator of rank 1: aten.mm.default")));
}

TEST_P(Launchers, AfterARankHasThrownTheOthersGoOn) {
  const Output output =
      launch(GetParam(), "--gtest_filter=Launched.Throws:Launched.RightAfterALoss");
  EXPECT_EQ(output.how, "ended with exit code 1");
  EXPECT_EQ(occurrences(output.text, "rank 1: out of luck"), 1u);
  EXPECT_EQ(occurrences(output.text, "Launched.RightAfterALoss ("), 1u) << output.text;
}

TEST(Torchrun, StartsAllRanksAgainWhereOneHasDied) {
  const std::string reason = not_here(kLaunchers[0]);
  if (!reason.empty()) GTEST_SKIP() << reason;
  const Output output = launch(kLaunchers[0], "--gtest_filter=Launched.DiesAtFirst", 1);
  EXPECT_EQ(output.how, "ended with exit code 0");
  EXPECT_THAT(output.text, AllOf(HasSubstr("rank 1: its process is gone"),
                                 HasSubstr("[       OK ] Launched.DiesAtFirst")));
}

INSTANTIATE_TEST_SUITE_P(OfThisMachine, Launchers, testing::ValuesIn(kLaunchers),
                         [](const auto& instance) { return instance.param.name; });

class TwoHosts : public testing::Test {
 protected:
  void SetUp() override {
    if (in_shell(kNamespaces + "ip -V").how != "ended with exit code 0")
      GTEST_SKIP() << "no namespaces of the network can be made here, or there is no `ip`";
  }

  static Output launch(const std::string& filter, const std::string& cable = "",
                       int patience = 60) {
    return in_shell(
        kNamespaces + TWO_HOSTS + " " + LAUNCHED_RANKS + " " + filter + " " + cable,
        {"ASSAY_PATIENCE=" + std::to_string(patience), "CABLE_IS_PULLED_WHEN_MADE=" + cable});
  }

  // Pulls the cable in the middle of the one test.
  static Output launch_and_pull(const std::string& filter, int patience) {
    const test::ScratchFolder scratch;
    return launch(filter, (scratch.path() / "cable").string(), patience);
  }

  static inline const std::string kNamespaces = "unshare -rnmp --fork --kill-child --mount-proc ";
};

TEST_F(TwoHosts, AllRanksTakePartAndRankZeroReports) {
  const Output output = launch("Launched.Right:Launched.Wrong");
  EXPECT_THAT(output.text, AllOf(HasSubstr("0: [       OK ] Launched.Right"),
                                 HasSubstr("Launched.Wrong (tp=2): proof: unproved; run: deviates"),
                                 HasSubstr("0: ended with exit code 1"),
                                 HasSubstr("1: ended with exit code 0")));
}

TEST_F(TwoHosts, ARankThatDiesIsNamed) {
  EXPECT_THAT(launch("Launched.Dies").text, AllOf(HasSubstr("rank 1: its process is gone"),
                                                  HasSubstr("0: ended with exit code 1"),
                                                  HasSubstr("1: ended with exit code 137")));
}

TEST_F(TwoHosts, ACollectiveThatGetsNoAnswerIsNamedAndAllRanksEnd) {
  EXPECT_THAT(launch_and_pull("Launched.LosesItsNetwork", 10).text,
              AllOf(HasSubstr("rank 0 waited in all_reduce sum Float [8, 32]"),
                    HasSubstr("rank 1 did not come"), HasSubstr("0: ended with exit code 1"),
                    HasSubstr("1: ended with exit code 1")));
}

// Long before the time of a collective, which is a minute in this test.
TEST_F(TwoHosts, ARankThatCannotBeReachedIsNamedAndAllRanksEnd) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(
      launch_and_pull("Launched.LosesItsNetworkAndIsPatient", 3).text,
      AllOf(HasSubstr("rank 1: its process cannot be reached any more"),
            HasSubstr("0: ended with exit code 1"), HasSubstr("1: ended with exit code 1")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

}  // namespace
}  // namespace assay
