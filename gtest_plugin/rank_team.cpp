#include "gtest_plugin/rank_team.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/run/run.h"
#include "gtest_plugin/ranks/launched_output.h"
#include "gtest_plugin/ranks/rank_command.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Ends the processes with their test, and hears what a rank's program expects in vain.
class TeamListener final : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed() || !RankTeam::instance().follows()) return;
    const std::string file = result.file_name() == nullptr ? "" : result.file_name();
    RankTeam::instance().complain(file + ":" + std::to_string(result.line_number()) + ": " +
                                  result.message());
  }
  void OnTestEnd(const testing::TestInfo&) override { RankTeam::instance().end_test(); }
};

std::string backend_name(ExecutorKind kind) {
  return kind == ExecutorKind::kNccl ? "nccl" : "gloo";
}

// Before main, as GoogleTest speaks before the first test.
const bool kQuiet = [] {
  try {
    const auto launch = launch_of_this_process();
    if (launch && launch->rank > 0) print_own_failures_alone(launch->rank);
  } catch (const UserError&) {
    // Every test says so.
  }
  return true;
}();

}  // namespace

RankTeam& RankTeam::instance() {
  static RankTeam team;
  return team;
}

RankTeam::RankTeam() : launch_(launch_of_this_process()), link_(inherited_link()) {
  if (link_) launch_.reset();  // one process more, which the leader has started
  testing::UnitTest::GetInstance()->listeners().Append(new TeamListener);
}

ExecutorKind RankTeam::executor_kind(const CheckOptions& options) const {
  if (options.executor) return *options.executor;
  const char* text = std::getenv("ASSAY_EXECUTOR");
  const std::string name = text != nullptr ? text : launch_ ? "gloo" : "threads";
  if (name == "threads") return ExecutorKind::kThreads;
  if (name == "gloo") return ExecutorKind::kGloo;
  if (name == "nccl") return ExecutorKind::kNccl;
  throw UserError({}, "ASSAY_EXECUTOR is '" + name + "'", "set it to threads, gloo or nccl");
}

std::string RankTeam::unfit(const Mesh& mesh, const CheckOptions& options) const {
  const ExecutorKind kind = executor_kind(options);
  if (kind == ExecutorKind::kThreads) {
    const bool lacks_gpu = on_gpus(options) && usable_gpus() == 0;
    return lacks_gpu ? "this test is to run on a GPU, and this process sees none" : "";
  }
  // On several machines, each process finds out for itself.
  if (!launch_ || launch_->one_host) {
    const std::string lacking = missing_devices(backend_name(kind), mesh);
    if (!lacking.empty()) return lacking;
  }
  if (!launch_ || mesh.world_size() == launch_->ranks) return {};
  return "this test has " + std::to_string(mesh.world_size()) + " ranks, and " +
         std::to_string(launch_->ranks) + " were started";
}

CaseReport RankTeam::follow(const RankQuestion& question) {
  RankQuestion asked = question;
  complaints_.clear();
  asked.complaint = [this] { return std::exchange(complaints_, {}); };
  try {
    if (!link_) link_ = join_launch(*launch_);
    while (true) {
      const std::string text = follow_leader(*link_, asked);
      CaseReport report = report_from_json(text, "the leader's report").cases.at(0);
      if (report.name == question.name) return report;
    }
  } catch (const SocketClosed&) {
    // Nobody is left to hear of it.
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "[rank %d] %s\n", static_cast<int>(rank()),
                 error.what_without_backtrace());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[rank %d] %s\n", static_cast<int>(rank()), error.what());
  }
  ::_exit(1);
}

bool RankTeam::on_gpus(const CheckOptions& options) const {
  const ExecutorKind kind = executor_kind(options);
  if (kind != ExecutorKind::kThreads) return kind == ExecutorKind::kNccl;
  if (options.device.empty()) return variable_names_gpu();
  if (options.device != "cpu" && options.device != "cuda")
    throw UserError({}, "the programs are to run on '" + options.device + "'", "cpu, or cuda");
  return options.device == "cuda";
}

std::string RankTeam::device_variable(const CheckOptions& options) const {
  const bool by_variable =
      options.device.empty() && executor_kind(options) == ExecutorKind::kThreads;
  return by_variable && variable_names_gpu() ? "cuda" : "";
}

std::string RankTeam::executor_variable(const CheckOptions& options) const {
  const ExecutorKind kind = executor_kind(options);
  return options.executor || kind == ExecutorKind::kThreads ? std::string() : backend_name(kind);
}

Executor* RankTeam::executor(const CheckOptions& options) {
  const ExecutorKind kind = executor_kind(options);
  if (kind == ExecutorKind::kThreads) return nullptr;
  executor_ = std::make_unique<ProcessExecutor>(processes(), backend_name(kind));
  return executor_.get();
}

void RankTeam::begin(const RankQuestion& question) {
  question_ = question;
  // Others have come already, and wait: not for the proof, too.
  if (launch_) processes();
  if (processes_) processes_->begin(question);
}

RankProcesses& RankTeam::processes() {
  if (processes_) return *processes_;
  if (launch_) {
    outlive_other_ranks();
    processes_ = std::make_unique<LaunchedProcesses>(*launch_);
  } else {
    processes_ = std::make_unique<OwnProcesses>(rank_command());
    for (const std::string& report : reports_) processes_->conclude(report);
  }
  processes_->begin(question_);
  return *processes_;
}

void RankTeam::conclude(const CaseReport& report) {
  const std::string text = to_json({{report}});
  if (launch_) return processes().conclude(text);
  if (testing::UnitTest::GetInstance()->current_test_info() == nullptr) return;
  reports_.push_back(text);
  if (processes_) processes_->conclude(text);
}

void RankTeam::end_test() {
  executor_.reset();
  reports_.clear();
  if (!launch_) processes_.reset();
  end_if_told();
}

void RankTeam::complain(const std::string& complaint) {
  if (!complaints_.empty()) complaints_ += '\n';
  complaints_ += complaint;
}

}  // namespace assay
