// The runs that a dynamic check needs, without the check.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dynamic_check/check.h"
#include "dynamic_check/inputs/inputs.h"
#include "shared_ir/case/case.h"

namespace assay::bench {

// Runs the programs under test on rank threads as they are: nothing is recorded, perturbed or
// compared. Inputs are those of the check with the same options. Every function throws
// InternalError when a run fails.
class BareRuns {
 public:
  BareRuns(const Case& refinement, const Programs& programs, const DynamicOptions& options);

  // One run of each program in the precision of the options.
  void one_each() const;

  // What the check runs: the sequential program once and for every perturbed sample, and once in
  // float64; the distributed program once; what makes the ranks' own parameters. Not what it runs
  // to judge single operators.
  void all_needed() const;

 private:
  void sequential(const RunInputs& inputs) const;
  void distributed(const RunInputs& inputs) const;

  const Programs& programs_;
  const DynamicOptions& options_;
  RunInputs inputs_;
  RunInputs inputs_in_float64_;
};

}  // namespace assay::bench
