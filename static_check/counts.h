// What a check's report counts, and what it says that was trusted.
#pragma once

#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/report/report.h"
#include "static_check/problem/problem.h"

namespace assay {

// Fills `counts`, `trusted` and `unanswered`; certifications of lemmas must be there.
void count(Problem& problem, const std::vector<LemmaProof>& proofs, StaticReport& report);

}  // namespace assay
