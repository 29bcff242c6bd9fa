#include "shared_ir/report/accepted_outputs.h"

#include <algorithm>

namespace assay {

bool accepts(const Accepted& accept, const std::string& tensor) {
  return std::ranges::count(accept.tensors, tensor) > 0;
}

bool accepted(const StaticReport& proof, const std::optional<Accepted>& accept) {
  // Where the proof did not end, not every output is in the report.
  if (!accept || proof.outputs.empty() || proof.verdict == Verdict::kTimeout ||
      proof.verdict == Verdict::kRefuted || proof.verdict == Verdict::kError)
    return false;
  const bool outputs =
      std::all_of(proof.outputs.begin(), proof.outputs.end(), [&](const TensorReport& output) {
        return output.verdict == Verdict::kProved || accepts(*accept, output.name);
      });
  const bool expectations =
      std::all_of(proof.failures.begin(), proof.failures.end(), [&](const FailureReport& failure) {
        if (failure.kind == "approximation") return false;
        return failure.kind != "expectation" || accepts(*accept, failure.node);
      });
  return outputs && expectations;
}

}  // namespace assay
