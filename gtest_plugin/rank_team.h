// Which processes take part in the checks of the test that is running, and as what.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "assay/refinement.h"
#include "dynamic_check/run/execute/processes/processes.h"
#include "dynamic_check/run/run.h"

namespace assay {

// A process leads, or follows: it runs one rank for a leader, which alone proves, runs the
// sequential program, compares and reports. Both do every check of a test, in order. Test bodies
// run in all of them.
class RankTeam {
 public:
  // Of this process. Not for several threads at a time.
  static RankTeam& instance();

  bool follows() const { return link_ || (launch_ && launch_->rank > 0); }
  Rank rank() const { return link_ ? link_->rank : launch_ ? launch_->rank : 0; }

  // Why a test cannot run as it is to: the processes that a launcher has started are not as many as
  // its ranks, or they lack GPUs. Empty: it can. The same in all processes.
  std::string unfit(const Mesh& mesh, const CheckOptions& options) const;

  // A follower's part in a check; returns the leader's report. Ends the process when the leader is
  // gone.
  CaseReport follow(const RankQuestion& question);

  // A leader's check begins.
  void begin(const RankQuestion& question);

  // What runs the ranks of the check; nullptr: threads of this process. Throws UserError when the
  // user's choice cannot be had.
  Executor* executor(const CheckOptions& options);

  // Whether those ranks have GPUs. Throws UserError where a variable names no device.
  bool on_gpus(const CheckOptions& options) const;

  // What ASSAY_DEVICE must be for the check to run in the same place; empty: nothing.
  std::string device_variable(const CheckOptions& options) const;

  // What ASSAY_EXECUTOR must be for the check to run in the same way; empty: nothing.
  std::string executor_variable(const CheckOptions& options) const;

  // The leader's check is over.
  void conclude(const CaseReport& report);

  // The test is over: processes that were started for it end.
  void end_test();

  // Of a follower: an expectation in the program that it runs did not hold.
  void complain(const std::string& complaint);

 private:
  RankTeam();
  RankProcesses& processes();
  ExecutorKind executor_kind(const CheckOptions& options) const;

  std::optional<Launch> launch_;              // by a launcher of several processes
  std::optional<RankLink> link_;              // of a follower
  std::unique_ptr<RankProcesses> processes_;  // of a leader, for the current test or for all
  std::vector<std::string> reports_;          // of the current test's checks
  std::unique_ptr<Executor> executor_;
  RankQuestion question_;
  std::string complaints_;  // since the last run began
};

}  // namespace assay
