// What a report lists as assumed.
#pragma once

#include <string>
#include <vector>

#include "static_check/diagnose/diagnose.h"
#include "static_check/problem/problem.h"

namespace assay {

// Of a lowered problem, each once. `asked` is the case as the user gave it; its approximations
// count where the problem is given them.
std::vector<std::string> assumptions_of(const Problem& problem, const Case& asked);

// Adds the outputs without a proof that the user accepts so.
void note_accepted(const Accepted& accept, StaticReport& report);

// Whether the user accepts every tensor that lacks a proof. Of a report: accepted_outputs.h.
bool accepts_failing(const Case& refinement, const std::vector<TensorId>& unproved,
                     const std::vector<BrokenExpectation>& broken);

}  // namespace assay
