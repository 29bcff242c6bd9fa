// Ranks as threads of this process (rank_threads.h).
#pragma once

#include "dynamic_check/run/execute/executor.h"

namespace assay {

class ThreadExecutor final : public Executor {
 public:
  DistributedRun run(const Case& refinement, const Programs& programs, const RunInputs& inputs,
                     const DynamicOptions& options) override;
  ParameterRun make_parameters(const Programs& programs, const DynamicOptions& options) override;
};

}  // namespace assay
