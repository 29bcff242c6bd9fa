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

void conclude(CaseReport& report, const std::optional<Accepted>& accept) {
  const Verdict proof = report.statics ? report.statics->verdict : Verdict::kError;
  const Verdict run = report.dynamic ? report.dynamic->verdict : Verdict::kProved;
  report.verdict = run == Verdict::kProved || proof == Verdict::kRefuted || proof == Verdict::kError
                       ? proof
                       : run;
  const bool passes =
      run == Verdict::kProved && report.statics && accepted(*report.statics, accept);
  report.exit = passes ? 0 : exit_code(report.verdict);
}

}  // namespace assay
