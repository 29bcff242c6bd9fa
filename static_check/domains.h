// Functions that are no real number for some arguments, such as a logarithm.
#pragma once

#include <string>
#include <vector>

#include "static_check/problem.h"

namespace assay {

// Assumptions that such functions are defined, of a lifted problem. One that both sides compute of
// the same argument is undefined on both; one that a side alone computes, of arguments that may lie
// outside of its domain, must be taken to be defined: what it gives may cancel there.
std::vector<std::string> domain_assumptions(const Problem& problem);

}  // namespace assay
