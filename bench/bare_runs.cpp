#include "bench/bare_runs.h"

#include <ATen/Context.h>

#include <memory>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/run/run.h"

namespace assay::bench {
namespace {

// Owned by the rank threads as well, of which a stuck one may outlive the run.
struct BareRun {
  RankProgram program;
  std::vector<ProgramInputs> inputs;  // per rank
};

// With tensors of its own.
ProgramInputs copied(ProgramInputs inputs) {
  for (auto& [name, tensor] : inputs.tensors)
    tensor = tensor.clone().set_requires_grad(inputs.differentiable.contains(name));
  return inputs;
}

void run(const Mesh& mesh, const DynamicOptions& options, const std::shared_ptr<BareRun>& bare) {
  const RankThreadOptions threads{
      .timeout = options.timeout, .device = options.device(), .completion = {}};
  const auto failure = run_rank_threads(mesh, threads, [bare](RankEnvironment& environment) {
    const ProgramInputs& inputs = bare->inputs[static_cast<size_t>(environment.rank())];
    RankContext context(
        environment, [&](const std::string& name) { return inputs.tensors.at(name); },
        [](const std::string&, const at::Tensor&) {},
        [](const at::Tensor& tensor, std::optional<int64_t>) { return tensor.item().toLong(); });
    bare->program(context);
  });
  if (failure) throw InternalError("a bare run failed: " + failure->message);
}

// oneDNN's products of float8 factors, which PyTorch takes on CPUs with AMX, give no float64.
class WithoutOneDnn {
 public:
  WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(false); }
  ~WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(enabled_); }
  WithoutOneDnn(const WithoutOneDnn&) = delete;
  WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;

 private:
  const bool enabled_ = at::globalContext().userEnabledMkldnn();
};

RunInputs inputs_of_check(const Case& refinement, const Programs& programs,
                          const DynamicOptions& options, DType precision) {
  const SelfMade made =
      check_self_made(refinement, programs.inputs, make_parameters(programs, options));
  return make_run_inputs(refinement, programs.inputs, made, precision, options.seed);
}

}  // namespace

BareRuns::BareRuns(const Case& refinement, const Programs& programs, const DynamicOptions& options)
    : programs_(programs),
      options_(options),
      inputs_(inputs_of_check(refinement, programs, options, options.precision)),
      inputs_in_float64_(inputs_of_check(refinement, programs, options, DType::kFloat64)) {}

void BareRuns::one_each() const {
  sequential(inputs_);
  distributed(inputs_);
}

void BareRuns::all_needed() const {
  for (int run = 0; run <= options_.samples; ++run) sequential(inputs_);
  {
    const WithoutOneDnn without;
    sequential(inputs_in_float64_);
  }
  make_parameters(programs_, options_);
  distributed(inputs_);
}

void BareRuns::sequential(const RunInputs& inputs) const {
  auto bare = std::make_shared<BareRun>();
  bare->program = programs_.sequential;
  bare->inputs.push_back(copied(inputs.of_sequential(options_.device())));
  run(Mesh(), options_, bare);
}

void BareRuns::distributed(const RunInputs& inputs) const {
  auto bare = std::make_shared<BareRun>();
  bare->program = programs_.distributed;
  for (Rank rank = 0; rank < programs_.mesh.world_size(); ++rank)
    bare->inputs.push_back(copied(inputs.of_rank(rank, options_.device())));
  run(programs_.mesh, options_, bare);
}

}  // namespace assay::bench
