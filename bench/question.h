// A fixture in one precision, as the dynamic layer is asked about it.
#pragma once

#include <string>
#include <vector>

#include "assay/refinement.h"
#include "dynamic_check/check.h"
#include "shared_ir/case/case.h"

namespace assay::bench {

// Captured and proved when it is made. The spec must outlive it. Throws UserError when the spec
// cannot be captured.
struct Question {
  Question(const RefinementSpec& spec, DType precision);

  // One dynamic check with `options`.
  DynamicReport check() const;

  Case refinement;
  Programs programs;
  Verdict verdict;  // of the proof
  std::vector<Relation> relations;
  DynamicOptions options;  // of that precision, on the device that ASSAY_DEVICE names
};

// Why the run is not within tolerance, in one line.
std::string why_not(const DynamicReport& report);

}  // namespace assay::bench
