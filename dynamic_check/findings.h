// What one distributed run shows: deviations from the references, and operators that are wrong on
// their own inputs.
#pragma once

#include <vector>

#include "dynamic_check/distributed_run.h"
#include "dynamic_check/localize/operator_check.h"
#include "dynamic_check/references.h"
#include "dynamic_check/targets.h"
#include "shared_ir/report.h"

namespace assay {

// A target that deviates.
struct Deviation {
  size_t target = 0;  // index into Targets::list
  NodeId node = 0;    // the distributed node after which it deviates
  DeviationReport report;
};

struct Findings {
  std::vector<Deviation> deviations;                    // in dependency order
  std::vector<OperatorFault> faults;                    // in the order of the nodes
  std::vector<DynamicReport::Tolerance> tolerances;     // per compared target
  std::vector<DynamicReport::Distance> approximations;  // how far each is off
  double factor = 0;     // what is allowed, in root mean squares of what the samples deviate
  int64_t compared = 0;  // sequential tensors, expectations not counted
  std::vector<std::string> skipped;

  bool any() const { return !deviations.empty() || !faults.empty(); }
};

// Compares every target; finds no faults.
Findings find_deviations(const Case& refinement, const Targets& targets,
                         const References& references, const DistributedRun& run,
                         const DynamicOptions& options);

// Holds every operator of the run against its own recorded inputs.
std::vector<OperatorFault> find_faults(const Case& refinement, const DistributedRun& run,
                                       const DynamicOptions& options);

}  // namespace assay
