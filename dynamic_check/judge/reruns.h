// When the sequential program runs again: a tensor that deviates by a spread that may be too small
// is no finding yet.
#pragma once

#include <functional>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/judge/findings.h"
#include "dynamic_check/judge/references.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {

// What `judge` finds with the references as they are by then: where something deviates by an
// estimate, after that is exact (make_exact); where something deviates still, after more runs of
// it (add_exact_samples). Nothing where a run fails meanwhile: References::failure.
Findings findings_after_reruns(const std::function<Findings()>& judge, References& references,
                               const Case& refinement, const Targets& targets,
                               const Programs& programs, const RunInputs& inputs,
                               const DynamicOptions& options);

}  // namespace assay
