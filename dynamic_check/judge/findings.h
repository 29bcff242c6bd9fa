// What one distributed run shows: deviations from the references, and operators that are wrong on
// their own inputs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dynamic_check/judge/operator_fault.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/base/progress.h"
#include "shared_ir/report/report.h"

namespace assay {

// A target that deviates.
struct Deviation {
  size_t target = 0;  // index into Targets::list
  NodeId node = 0;    // the distributed node after which it deviates
  DeviationReport report;
};

// An output that nothing compared.
struct Uncompared {
  std::string name;
  std::string why;
  bool random;  // it is computed from random numbers: there is nothing to compare it with
};

struct Findings {
  std::vector<Deviation> deviations;                    // in dependency order
  std::vector<OperatorFault> faults;                    // in the order of the nodes
  std::vector<DynamicReport::Tolerance> tolerances;     // per compared target
  std::vector<DynamicReport::Distance> approximations;  // how far each is off
  double factor = 0;     // what is allowed, in root mean squares of what the samples deviate
  int64_t compared = 0;  // sequential tensors, expectations not counted
  std::vector<std::string> skipped;
  std::vector<std::string> flips;  // as DynamicReport has them
  std::vector<Uncompared> uncompared;
  OperatorCounts operators;  // that were judged

  bool any() const { return !deviations.empty() || !faults.empty(); }
};

// What is allowed.
struct Allowance {
  int64_t samples = 0;                         // perturbed runs behind each spread
  double family_rate = 1e-5;                   // chance that a correct program deviates anywhere
  std::optional<double> bound = std::nullopt;  // relative: the user's, in place of the spreads
};

// The reference of a target, by its index in Targets::list. Called once per target, in order.
using ReferenceLookup = std::function<ExpectedTensor(size_t)>;

// Compares every target; finds no faults.
Findings find_deviations(const Case& refinement, const Targets& targets,
                         const ReferenceLookup& references, const RankTensors& ranks,
                         const Allowance& allowance, const ProgressSink& progress = {});

}  // namespace assay
