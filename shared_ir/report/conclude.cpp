#include "shared_ir/report/conclude.h"

#include <algorithm>

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

bool accepted(const StaticReport& proof, const std::optional<Accepted>& accept) {
  if (!accept || proof.verdict == Verdict::kRefuted || proof.verdict == Verdict::kError) {
    return false;
  }
  const auto listed = [&](const std::string& name) {
    return std::find(accept->tensors.begin(), accept->tensors.end(), name) != accept->tensors.end();
  };
  const bool outputs =
      std::all_of(proof.outputs.begin(), proof.outputs.end(), [&](const TensorReport& output) {
        return output.verdict == Verdict::kProved || listed(output.name);
      });
  const bool expectations =
      std::all_of(proof.failures.begin(), proof.failures.end(), [&](const FailureReport& failure) {
        if (failure.kind == "approximation") return false;
        return failure.kind != "expectation" || listed(failure.node);
      });
  return outputs && expectations;
}

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
