// Ranks in processes that die, hang, throw or call something else: the check ends in time, names
// the rank, its last operator and its last collective, and leaves nothing behind.
#include <ATen/ops/mm.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"

namespace assay {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::HasSubstr;

// What goes wrong on rank 1, after the product and before the all-reduce, when it runs.
enum class Fault { kNone, kKilled, kHangs, kThrows, kExits, kCallsAnother, kExpectsInVain };

void commit(Fault fault, Program& p, const at::Tensor& product) {
  if (product.is_meta() || p.size("tp") == 1 || p.rank() != 1) return;
  switch (fault) {
    case Fault::kNone:
      return;
    case Fault::kKilled:
      ::kill(::getpid(), SIGKILL);
      return;
    case Fault::kHangs:
      std::this_thread::sleep_for(60s);
      return;
    case Fault::kThrows:
      throw std::runtime_error("out of luck");
    case Fault::kExits:
      std::fputs("the last words of rank 1\n", stderr);
      ::_exit(3);
    case Fault::kCallsAnother: {
      std::vector<at::Tensor> row{product.narrow(0, 0, 1).clone()};
      p.group("tp")->allreduce(row)->wait();
      return;
    }
    case Fault::kExpectsInVain:
      EXPECT_EQ(p.rank(), 0);
      return;
  }
}

RefinementSpec row_parallel(Fault fault) {
  RefinementSpec spec;
  spec.name = "RowParallel";
  spec.mesh = Mesh({{"tp", 2}});
  InputSpec x, w;
  x.name = "x";
  x.shape = {8, 64};
  x.placement = Shard("tp", 1);
  w.name = "w";
  w.shape = {64, 32};
  w.placement = Shard("tp", 0);
  spec.inputs = {x, w};
  spec.distributed = [fault](Program& p) {
    // A sum of its own first: the last collective is not the one that fails.
    const at::Tensor x_sum = p.all_reduce(p[{"x"}], "tp");
    const at::Tensor product = at::mm(p[{"x"}], p[{"w"}]);
    commit(fault, p, product);
    p.output("y", p.all_reduce(product, "tp"));
    p.output("x_sum", x_sum);
  };
  spec.sequential = [](Program& p) {
    const at::Tensor whole = p[{"x"}];
    p.output("y", at::mm(whole, p[{"w"}]));
    p.output("x_sum", whole.narrow(1, 0, 32) + whole.narrow(1, 32, 32));
  };
  return spec;
}

CheckOptions on_gloo(Fault fault) {
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  options.samples = 3;
  if (fault == Fault::kHangs) options.timeout = 1500ms;
  options.executor = ExecutorKind::kGloo;
  return options;
}

std::string detail(const CaseReport& report) {
  return report.dynamic && report.dynamic->first_deviation ? report.dynamic->first_deviation->detail
                                                           : to_text(report);
}

size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd"), end;
  return static_cast<size_t>(std::distance(all, end));
}

bool has_children() {
  siginfo_t any;
  return ::waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

class RanksInProcesses : public testing::Test {
 protected:
  // Checks, and expects it to end in time without anything left.
  static CaseReport check(Fault fault) {
    const size_t before = open_descriptors();
    const auto start = std::chrono::steady_clock::now();
    CaseReport report = check_refinement(row_parallel(fault), on_gloo(fault));
    if (fault == Fault::kNone) return report;
    // The time that the processes take to start is not the run's.
    EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
    EXPECT_FALSE(has_children());
    EXPECT_EQ(open_descriptors(), before);
    return report;
  }
};

TEST_F(RanksInProcesses, ARightProgramPasses) {
  const CaseReport report = check(Fault::kNone);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST_F(RanksInProcesses, AKilledRankIsNamedWithItsSignal) {
  const CaseReport report = check(Fault::kKilled);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->triage, "runtime");
  EXPECT_EQ(report.dynamic->first_deviation->ranks, std::vector<Rank>{1});
  EXPECT_THAT(
      detail(report),
      AllOf(HasSubstr("rank 1: its process was killed by signal 9 (Killed)"),
            HasSubstr("its last collective: all_reduce sum Float [8, 32] on tp:0 (number 1"),
            HasSubstr("the last operator of rank 1: aten.mm.default"),
            HasSubstr("rank_processes_test.cpp")));
}

TEST_F(RanksInProcesses, AHangingRankIsNamedByTheOneThatWaits) {
  const CaseReport report = check(Fault::kHangs);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->verdict, RunVerdict::kStuck);
  EXPECT_EQ(report.dynamic->first_deviation->ranks, std::vector<Rank>{1});
  EXPECT_EQ(report.dynamic->first_deviation->op, "aten.mm.default");
  EXPECT_THAT(detail(report),
              AllOf(HasSubstr("rank 0 waited in all_reduce sum Float [8, 32] on tp:0 (number 2"),
                    HasSubstr("rank 1 did not come (its last collective: all_reduce sum Float [8, "
                              "32] on tp:0 (number 1")));
}

TEST_F(RanksInProcesses, ARankThatThrowsIsNamedWithWhatItThrew) {
  const CaseReport report = check(Fault::kThrows);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->first_deviation->ranks, std::vector<Rank>{1});
  EXPECT_THAT(detail(report), HasSubstr("rank 1: out of luck"));
}

TEST_F(RanksInProcesses, ARankThatExitsIsNamedWithWhatItPrinted) {
  EXPECT_THAT(detail(check(Fault::kExits)),
              AllOf(HasSubstr("rank 1: its process ended with exit code 3"),
                    HasSubstr("the last words of rank 1")));
}

TEST_F(RanksInProcesses, AnotherCollectiveIsAMismatchOfBoth) {
  const CaseReport report = check(Fault::kCallsAnother);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->verdict, RunVerdict::kDeviates);
  EXPECT_EQ(report.dynamic->first_deviation->kind, "collective_mismatch");
  EXPECT_THAT(detail(report),
              AllOf(HasSubstr("all_reduce sum Float [1, 32]"),
                    HasSubstr("all_reduce sum Float [8, 32]"), HasSubstr("as number 2 on tp:0")));
}

TEST_F(RanksInProcesses, AnExpectationThatDoesNotHoldOnARankIsItsFailure) {
  EXPECT_THAT(
      detail(check(Fault::kExpectsInVain)),
      AllOf(HasSubstr("rank 1: "), HasSubstr("rank_processes_test.cpp"), HasSubstr("p.rank()")));
}

TEST_F(RanksInProcesses, TheNextCheckHasProcessesOfItsOwn) {
  EXPECT_NE(check(Fault::kThrows).exit, 0);
  const CaseReport report = check(Fault::kNone);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST_F(RanksInProcesses, AHookThatDelaysCollectivesNeedsThreads) {
  CheckOptions options = on_gloo(Fault::kNone);
  options.completion = delayed_completion(1);
  const CaseReport report = check_refinement(row_parallel(Fault::kNone), options);
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("ExecutorKind::kThreads"));
}

}  // namespace
}  // namespace assay
