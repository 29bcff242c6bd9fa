// Functions that are no real number for some arguments, such as a logarithm.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "static_check/problem/problem.h"

namespace assay {

// Whether the function has arguments for which it is no real number.
bool is_partial_function(const std::string& fn);

struct DomainAssumptions {
  std::vector<std::string> notes;  // as the report lists them
  std::set<AtomId> of_ranks;       // results of the ranks' functions that are taken to be defined
  std::set<AtomId> of_sequential;  // of the specification's
};

// Assumptions that such functions are defined, of a lifted problem. One that both sides compute of
// the same argument is undefined on both; one that a side alone computes, of arguments that may lie
// outside of its domain, must be taken to be defined: what it gives may cancel there. So must one
// that a rank's arithmetic leaves out in the proof, as the sequential program may have no need of
// it, and every one of the ranks where the proof is by evaluation, which does not tell. Without a
// proof (nullptr) the latter are not looked for.
DomainAssumptions domain_assumptions(Problem& problem, const Certificate* proof);

// Whether a listed assumption is that a function of a rank is defined.
bool is_domain_of_ranks(const std::string& assumption);

}  // namespace assay
