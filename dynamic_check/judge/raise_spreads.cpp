#include "dynamic_check/judge/raise_spreads.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {
namespace {

// Inputs that the ranks have in summands.
std::set<std::string> summed_inputs(const Case& refinement) {
  const std::function<bool(const CleanExpr&)> sums = [&](const CleanExpr& expr) {
    return expr.kind == CleanExpr::Kind::kSum || std::ranges::any_of(expr.operands, sums);
  };
  std::set<std::string> names;
  for (const Relation& input : refinement.inputs)
    if (std::ranges::any_of(input.replicas, sums)) names.insert(input.tensor);
  return names;
}

// Adds a perturbed run of the sequential graph to the spreads: in stages, where there are some.
void add_sequential(Spreads& spreads, const Case& refinement, const Targets& targets,
                    const RunInputs& inputs, const Noise& noise, const StagedGraph* stages,
                    const DeclaredOperators& declared) {
  const Graph& graph = refinement.sequential;
  const auto told = [&](size_t i, const at::Tensor& value) {
    if (spreads[i]) spreads[i]->add(value.to(spreads[i]->exact().device()));
  };
  if (stages) {
    SequentialRun run(graph, {.precision = DType::kFloat64, .rounding = noise}, targets, told,
                      at::kCPU);
    run_in_stages(*stages, inputs.whole, run);
    return;
  }
  std::map<RankTensorName, at::Tensor> whole;
  for (const auto& [name, tensor] : inputs.whole) whole[{name, 0}] = tensor;
  TargetValues values(graph, targets, told);
  interpret_reassociated(
      graph, refinement.sequential_groups, std::move(whole), summed_inputs(refinement), noise,
      &declared, [&](Rank, TensorId id, const at::Tensor& value) { values.see(id, value); });
  values.finish();
}

}  // namespace

Spreads spreads_like(const std::vector<ExpectedTensor>& references) {
  Spreads spreads;
  for (const ExpectedTensor& reference : references) {
    spreads.emplace_back();
    if (reference.spread && !reference.spread->is_estimate())
      spreads.back() = reference.spread->without_samples();
  }
  return spreads;
}

void raise_by_sequential_graph(std::vector<ExpectedTensor>& references, const Case& refinement,
                               const Targets& targets, const RunInputs& inputs,
                               const DynamicOptions& options) {
  Spreads spreads = spreads_like(references);
  const double roundoff = unit_roundoff(storage_dtype(options.precision));
  // Each rank's part of a sum is rounded, and the sum of the parts.
  const double sums = roundoff * std::sqrt(static_cast<double>(refinement.ranks.size() + 1));
  const DeclaredOperators declared(refinement.operator_files);
  const auto stages = staged_graph(refinement, options, Arithmetic::kFloat64);
  for (int sample = 1; sample <= options.samples; ++sample)
    add_sequential(spreads, refinement, targets, inputs, {roundoff, options.seed, sample, sums},
                   stages.get(), declared);
  for (size_t i = 0; i < references.size(); ++i)
    if (spreads[i] && spreads[i]->samples() == options.samples)
      references[i].spread->raise_to(*spreads[i]);
}

}  // namespace assay
