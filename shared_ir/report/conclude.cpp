#include "shared_ir/report/conclude.h"

#include "shared_ir/report/accepted_outputs.h"

namespace assay {
namespace {

// What a run says of the case.
Verdict by_run(RunVerdict run) {
  switch (run) {
    case RunVerdict::kAgrees:
    case RunVerdict::kInconclusive:
      return Verdict::kUnproved;
    case RunVerdict::kDeviates:
      return Verdict::kRefuted;
    case RunVerdict::kStuck:
      return Verdict::kTimeout;
    case RunVerdict::kFailed:
      return Verdict::kError;
  }
  return Verdict::kError;
}

}  // namespace

void conclude(CaseReport& report, const std::optional<Accepted>& accept, RunAsked asked) {
  const Verdict proof = report.statics ? report.statics->verdict : Verdict::kError;
  if (!report.dynamic && proof == Verdict::kProved && asked != RunAsked::kBeside)
    report.notes.push_back(asked == RunAsked::kYes
                               ? "nothing was run, though the check asks for it: this is no pass"
                               : "nothing was run: the verdict is the proof's alone");
  const bool run_passes =
      report.dynamic ? report.dynamic->verdict == RunVerdict::kAgrees : asked != RunAsked::kYes;
  const Verdict run = report.dynamic ? by_run(report.dynamic->verdict) : Verdict::kUnproved;
  // A deviation, or a run that did not end, says more than a proof; that nothing was seen does not.
  const bool run_says_more = !run_passes &&
                             (run != Verdict::kUnproved || proof == Verdict::kProved) &&
                             proof != Verdict::kRefuted && proof != Verdict::kError;
  report.verdict = run_says_more ? run : proof;
  const bool passes = run_passes && report.statics && accepted(*report.statics, accept);
  report.exit = passes ? 0 : exit_code(report.verdict);
}

void conclude_run_alone(CaseReport& report) {
  const RunVerdict run = report.dynamic.value().verdict;
  report.verdict = by_run(run);
  report.exit = run == RunVerdict::kAgrees ? 0 : exit_code(report.verdict);
}

}  // namespace assay
