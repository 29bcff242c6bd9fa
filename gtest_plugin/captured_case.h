// A refinement question as it was captured: what is proved, and what a run is held against.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/refinement.h"
#include "shared_ir/capture/fit/size_fit.h"
#include "shared_ir/case/case.h"

namespace assay {

struct CapturedCase {
  Case refinement;  // of fixed sizes: those that depend on values are padded
  // Of programs with sizes that depend on values; null, or none, of others.
  std::shared_ptr<const SizeFit> sequential;
  std::vector<std::shared_ptr<const SizeFit>> ranks;

  bool has_sizes_of_values() const { return sequential != nullptr || !ranks.empty(); }
};

// As capture_case.
CapturedCase capture_programs(const RefinementSpec& spec, DType precision);

// The same question with the graphs that the programs have on the inputs of a run with this seed.
// Throws UserError where they are not those that were captured.
Case case_of_run(const RefinementSpec& spec, const CapturedCase& captured, DType precision,
                 uint64_t seed);

}  // namespace assay
