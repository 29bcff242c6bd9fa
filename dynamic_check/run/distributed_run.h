// Runs of the distributed program, by the executor of the options.
#pragma once

#include <map>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/run/execute/executor.h"
#include "dynamic_check/run/options.h"
#include "dynamic_check/run/programs.h"
#include "dynamic_check/run/record.h"
#include "shared_ir/case/case.h"

namespace assay {

DistributedRun run_distributed(const Case& refinement, const Programs& programs,
                               const RunInputs& inputs, const DynamicOptions& options);

// Runs Programs::parameters on every rank. Returns what the ranks named, by input name and rank.
// Throws UserError when a rank fails.
std::map<RankTensorName, at::Tensor> make_parameters(const Programs& programs,
                                                     const DynamicOptions& options);

}  // namespace assay
