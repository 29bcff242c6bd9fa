// What drawn numbers tell apart, so that no search for a proof is worth its time.
#pragma once

#include <vector>

#include "static_check/problem/problem.h"

namespace assay {

// A tensor of the specification, and what the ranks may have for it: all of one of these.
struct OpenClaim {
  CleanExpr sequential;
  std::vector<std::vector<CleanExpr>> relations;
};

// Whether one of the claims is wrong for two draws of the inputs at least: of each of its relations
// something is another number than the specification's. A claim without relations is not judged.
// False as well where the programs are too
// large for that, have operators without numbers, or draw their own. No verdict: double precision
// rounds. Of a problem that is lifted, and whose collectives meet. Throws TimedOut.
bool refuted_by_trials(const Problem& problem, const std::vector<OpenClaim>& claims);

}  // namespace assay
