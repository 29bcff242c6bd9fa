// What runs the distributed program: the ranks as threads of this process, or as processes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/run/execute/run_failure.h"
#include "dynamic_check/run/options.h"
#include "dynamic_check/run/programs.h"
#include "dynamic_check/run/record.h"
#include "shared_ir/case/case.h"

namespace assay {

// One run of the distributed program with everything that its operators gave.
struct DistributedRun {
  std::vector<RecordedTensors> ranks;
  std::optional<RunFailure> failure;  // `ranks` is then incomplete
};

// What the ranks made of Programs::parameters.
struct ParameterRun {
  std::map<RankTensorName, at::Tensor> made;
  std::optional<RunFailure> failure;
};

// Not for several threads at a time.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual DistributedRun run(const Case& refinement, const Programs& programs,
                             const RunInputs& inputs, const DynamicOptions& options) = 0;
  virtual ParameterRun make_parameters(const Programs& programs, const DynamicOptions& options) = 0;
};

}  // namespace assay
