// What is held against a proof, and what is assumed of the domains of its functions.
#pragma once

#include <string>
#include <vector>

#include "static_check/problem/problem.h"

namespace assay {

// The assumptions on domains. `proof`: nullptr where there is none; of one, throws UserError at the
// operator where an assumption of single operators hides what the programs do, or the programs
// contradict one (undefined_outputs, lost_writes, contradicted_domains).
std::vector<std::string> assumed_of_domains(Problem& problem, const Certificate* proof);

}  // namespace assay
