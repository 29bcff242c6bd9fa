// Which processes take part in the checks of the test that is running, and as what.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "assay/refinement.h"
#include "dynamic_check/execute/own_processes.h"
#include "dynamic_check/execute/rank_worker.h"

namespace assay {

// A process leads, or follows: it runs one rank for a leader, which alone proves, runs the
// sequential program, compares and reports. Both do every check of a test, in order. Test bodies
// run in all of them.
class RankTeam {
 public:
  // Of this process. Not for several threads at a time.
  static RankTeam& instance();

  bool follows() const { return link_.has_value(); }
  Rank rank() const { return link_ ? link_->rank : 0; }

  // A follower's part in a check; returns the leader's report. Ends the process when the leader is
  // gone.
  CaseReport follow(const RankQuestion& question);

  // What runs the ranks of a leader's check; nullptr: threads of this process. Throws UserError
  // when the user's choice cannot be had.
  Executor* executor(const CheckOptions& options);

  // A leader's check is over.
  void conclude(const CaseReport& report);

  // The test is over: its processes end.
  void end_test();

  // Of a follower: an expectation in the program that it runs did not hold.
  void complain(const std::string& complaint);

 private:
  RankTeam();
  OwnProcesses& processes();

  std::optional<RankLink> link_;             // of a follower
  std::unique_ptr<OwnProcesses> processes_;  // of a leader, for the current test
  std::vector<std::string> reports_;         // of the current test's checks
  std::unique_ptr<Executor> executor_;
  std::string complaints_;  // since the last run began
};

}  // namespace assay
