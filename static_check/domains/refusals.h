// What is held against a proof, and what is assumed of the domains of its functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/report/report.h"
#include "static_check/problem/problem.h"

namespace assay {

struct AssumedDomains {
  std::vector<std::string> notes;         // as the report lists them
  std::optional<FailureReport> contrary;  // why the proof is none: they do not hold
};

// The assumptions on domains. `proof`: nullptr where there is none; of one, throws UserError at the
// operator where an assumption of single operators hides what the programs do, or the programs
// contradict one (undefined_outputs, lost_writes, contradicted_domains).
AssumedDomains assumed_of_domains(Problem& problem, const Certificate* proof);

}  // namespace assay
