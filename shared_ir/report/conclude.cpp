#include "shared_ir/report/conclude.h"

#include <algorithm>

namespace assay {

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
  const Verdict missing = asked == RunAsked::kYes ? Verdict::kUnproved : Verdict::kProved;
  const Verdict run = report.dynamic ? report.dynamic->verdict : missing;
  if (!report.dynamic && proof == Verdict::kProved && asked != RunAsked::kBeside)
    report.notes.push_back(asked == RunAsked::kYes
                               ? "nothing was run, though the check asks for it: this is no pass"
                               : "nothing was run: the verdict is the proof's alone");
  // A deviation, or a run that did not end, says more than a proof; that nothing was seen does not.
  const bool run_says_more = run != Verdict::kProved &&
                             (run != Verdict::kUnproved || proof == Verdict::kProved) &&
                             proof != Verdict::kRefuted && proof != Verdict::kError;
  report.verdict = run_says_more ? run : proof;
  const bool passes =
      run == Verdict::kProved && report.statics && accepted(*report.statics, accept);
  report.exit = passes ? 0 : exit_code(report.verdict);
}

}  // namespace assay
