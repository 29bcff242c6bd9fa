#include "gtest_plugin/rank_team.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "gtest_plugin/rank_command.h"
#include "shared_ir/error.h"

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

ExecutorKind executor_of(const CheckOptions& options) {
  if (options.executor) return *options.executor;
  const char* text = std::getenv("ASSAY_EXECUTOR");
  if (text == nullptr) return ExecutorKind::kThreads;
  const std::string name = text;
  if (name == "threads") return ExecutorKind::kThreads;
  if (name == "gloo") return ExecutorKind::kGloo;
  if (name == "nccl") return ExecutorKind::kNccl;
  throw UserError({}, "ASSAY_EXECUTOR is '" + name + "'", "set it to threads, gloo or nccl");
}

}  // namespace

RankTeam& RankTeam::instance() {
  static RankTeam team;
  return team;
}

RankTeam::RankTeam() : link_(inherited_link()) {
  testing::UnitTest::GetInstance()->listeners().Append(new TeamListener);
}

CaseReport RankTeam::follow(const RankQuestion& question) {
  RankQuestion asked = question;
  complaints_.clear();
  asked.complaint = [this] { return std::exchange(complaints_, {}); };
  try {
    return report_from_json(follow_leader(*link_, asked), "the leader's report").cases.at(0);
  } catch (const SocketClosed&) {
    ::_exit(1);  // nobody is left to hear of it
  }
}

Executor* RankTeam::executor(const CheckOptions& options) {
  const ExecutorKind kind = executor_of(options);
  if (kind == ExecutorKind::kThreads) return nullptr;
  executor_ =
      std::make_unique<ProcessExecutor>(processes(), kind == ExecutorKind::kGloo ? "gloo" : "nccl");
  return executor_.get();
}

OwnProcesses& RankTeam::processes() {
  if (!processes_) {
    processes_ = std::make_unique<OwnProcesses>(rank_command());
    for (const std::string& report : reports_) processes_->conclude(report);
  }
  return *processes_;
}

void RankTeam::conclude(const CaseReport& report) {
  if (testing::UnitTest::GetInstance()->current_test_info() == nullptr) return;
  reports_.push_back(to_json({{report}}));
  if (processes_) processes_->conclude(reports_.back());
}

void RankTeam::end_test() {
  executor_.reset();
  processes_.reset();
  reports_.clear();
}

void RankTeam::complain(const std::string& complaint) {
  if (!complaints_.empty()) complaints_ += '\n';
  complaints_ += complaint;
}

}  // namespace assay
