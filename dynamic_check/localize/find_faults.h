// Which operators of a run are wrong on their own inputs, and how many of them were judged by what.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamic_check/judge/judge.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/base/progress.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

struct JudgedOperators {
  std::vector<OperatorFault> faults;  // in the order of the nodes
  OperatorCounts operators;
};

// Holds every operator of a run in that precision against its own recorded inputs. `seed` is that
// of perturbations.
JudgedOperators find_faults(const Case& refinement, const RankTensors& ranks, uint64_t seed,
                            double family_rate, DType precision, const ProgressSink& progress = {});

}  // namespace assay
