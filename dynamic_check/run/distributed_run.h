// Runs of the distributed program, by the executor of the options.
//
// The room: programs, or their graphs, and inputs come in; every tensor that they make goes out.
// The programs run on threads or in processes (execute/), the sequential one too (record.h); graphs
// run node by node (interpret/), in stages where one device is too small (stages/), and with
// rounding noise (perturbed_run.h).
#pragma once

#include <map>

#include "dynamic_check/inputs/program_inputs.h"
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
