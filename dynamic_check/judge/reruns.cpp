#include "dynamic_check/judge/reruns.h"

#include <optional>
#include <set>

#include "shared_ir/base/progress.h"

namespace assay {
namespace {

// The targets that may deviate, by estimates.
std::set<size_t> estimated(const Findings& findings, const References& references) {
  std::set<size_t> result;
  for (const Deviation& deviation : findings.deviations) {
    const std::optional<Spread>& spread = references.tensors[deviation.target].spread;
    if (spread && spread->is_estimate()) result.insert(deviation.target);
  }
  return result;
}

}  // namespace

Findings findings_after_reruns(const std::function<Findings()>& judge, References& references,
                               const Case& refinement, const Targets& targets,
                               const Programs& programs, const RunInputs& inputs,
                               const DynamicOptions& options) {
  Findings findings = judge();
  if (const std::set<size_t> doubtful = estimated(findings, references); !doubtful.empty()) {
    make_exact(references, doubtful, refinement, targets, programs, inputs, options);
    if (references.failure) return {};
    findings = judge();
  }
  if (findings.deviations.empty()) return findings;
  tell(options.progress, "more runs of what deviates");
  add_exact_samples(references, refinement, targets, programs, inputs, options);
  return judge();
}

}  // namespace assay
