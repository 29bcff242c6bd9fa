#include "bench/bare_runs.h"

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "dynamic_check/run/distributed_run.h"
#include "dynamic_check/run/execute/threads/rank_threads.h"

namespace assay::bench {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

// A rank's view of a run whose outputs nobody keeps.
class BareContext final : public ProgramContext {
 public:
  BareContext(RankEnvironment& environment, const Tensors& inputs)
      : environment_(environment), inputs_(inputs) {}

  at::Tensor input(const std::string& name) override { return inputs_.at(name); }
  void output(const std::string&, const at::Tensor&) override {}
  Rank rank() const override { return environment_.rank(); }
  const Mesh& mesh() const override { return environment_.mesh(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override {
    return environment_.group(axis);
  }

 private:
  RankEnvironment& environment_;
  const Tensors& inputs_;
};

// Owned by the rank threads as well, of which a stuck one may outlive the run.
struct BareRun {
  RankProgram program;
  std::vector<Tensors> inputs;  // per rank
};

at::Tensor leaf(const at::Tensor& value, bool requires_grad) {
  return value.clone().set_requires_grad(requires_grad);
}

void run(const Mesh& mesh, const DynamicOptions& options, const std::shared_ptr<BareRun>& bare) {
  const RankThreadOptions threads{
      .timeout = options.timeout,
      .device = options.cuda ? at::Device(at::kCUDA) : at::Device(at::kCPU),
      .completion = {}};
  const auto failure = run_rank_threads(mesh, threads, [bare](RankEnvironment& environment) {
    BareContext context(environment, bare->inputs[static_cast<size_t>(environment.rank())]);
    bare->program(context);
  });
  if (failure) throw InternalError("a bare run failed: " + failure->message);
}

RunInputs inputs_of_check(const Case& refinement, const Programs& programs,
                          const DynamicOptions& options, DType precision) {
  const SelfMade made =
      check_self_made(refinement, programs.inputs, make_parameters(programs, options));
  return make_run_inputs(refinement, programs.inputs, made, precision, options.seed);
}

}  // namespace

BareRuns::BareRuns(const Case& refinement, const Programs& programs, const DynamicOptions& options)
    : refinement_(refinement),
      programs_(programs),
      options_(options),
      inputs_(inputs_of_check(refinement, programs, options, options.precision)),
      inputs_in_float64_(inputs_of_check(refinement, programs, options, DType::kFloat64)) {}

void BareRuns::one_each() const {
  sequential(inputs_);
  distributed(inputs_);
}

void BareRuns::all_needed() const {
  for (int run = 0; run <= options_.samples; ++run) sequential(inputs_);
  sequential(inputs_in_float64_);
  make_parameters(programs_, options_);
  distributed(inputs_);
}

void BareRuns::sequential(const RunInputs& inputs) const {
  auto bare = std::make_shared<BareRun>();
  bare->program = programs_.sequential;
  bare->inputs.resize(1);
  for (const auto& [name, tensor] : inputs.whole) {
    bare->inputs[0][name] = leaf(tensor, inputs.differentiable.at(name));
  }
  run(Mesh(), options_, bare);
}

void BareRuns::distributed(const RunInputs& inputs) const {
  auto bare = std::make_shared<BareRun>();
  bare->program = programs_.distributed;
  bare->inputs.resize(refinement_.ranks.size());
  for (const auto& [name, tensor] : inputs.parts) {
    bare->inputs[static_cast<size_t>(name.second)][name.first] =
        leaf(tensor, inputs.parts_differentiable.at(name));
  }
  run(programs_.mesh, options_, bare);
}

}  // namespace assay::bench
