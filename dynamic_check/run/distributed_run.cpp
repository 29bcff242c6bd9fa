#include "dynamic_check/run/distributed_run.h"

#include <fmt/format.h>

#include "dynamic_check/run/execute/threads/thread_executor.h"

namespace assay {
namespace {

Executor& executor_of(const DynamicOptions& options) {
  static ThreadExecutor threads;
  return options.executor == nullptr ? threads : *options.executor;
}

}  // namespace

DistributedRun run_distributed(const Case& refinement, const Programs& programs,
                               const RunInputs& inputs, const DynamicOptions& options) {
  return executor_of(options).run(refinement, programs, inputs, options);
}

std::map<RankTensorName, at::Tensor> make_parameters(const Programs& programs,
                                                     const DynamicOptions& options) {
  if (!programs.parameters) return {};
  ParameterRun run = executor_of(options).make_parameters(programs, options);
  if (run.failure)
    throw UserError({}, fmt::format("making the parameters: {}", run.failure->message));
  return std::move(run.made);
}

}  // namespace assay
