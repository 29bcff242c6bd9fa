#include "dynamic_check/raise_spreads.h"

#include <ATen/TensorOperators.h>

#include "dynamic_check/float8_products.h"
#include "dynamic_check/interpret/declared_operators.h"
#include "dynamic_check/rank_noise.h"
#include "dynamic_check/reference_stages.h"
#include "dynamic_check/sequential_run.h"
#include "dynamic_check/target_values.h"
#include "dynamic_check/tolerance/perturbed_run.h"
#include "dynamic_check/tolerance/rounding.h"

namespace assay {
namespace {

// Of every floating reference with an exact value: the others do not deviate.
using Spreads = std::vector<std::optional<Spread>>;

Spreads spreads_like(const std::vector<ExpectedTensor>& references) {
  Spreads spreads;
  for (const ExpectedTensor& reference : references) {
    spreads.emplace_back();
    if (reference.spread && !reference.spread->is_estimate())
      spreads.back() = reference.spread->without_samples();
  }
  return spreads;
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
  interpret_with_noise({graph}, refinement.sequential_groups, std::move(whole), noise,
                       nothing_wanted, &declared,
                       [&](Rank, TensorId id, const at::Tensor& value) { values.see(id, value); });
  values.finish();
}

}  // namespace

void raise_by_graphs(std::vector<ExpectedTensor>& references, const Case& refinement,
                     const Targets& targets, const RunInputs& inputs,
                     const DynamicOptions& options) {
  Spreads sequential = spreads_like(references);
  const double roundoff = unit_roundoff(storage_dtype(options.precision));
  const DeclaredOperators declared(refinement.operator_files);
  const auto stages = staged_graph(refinement, options, Arithmetic::kFloat64);
  for (int sample = 1; sample <= options.samples; ++sample)
    add_sequential(sequential, refinement, targets, inputs, {roundoff, options.seed, sample},
                   stages.get(), declared);
  Spreads distributed = spreads_like(references);
  rank_noise(refinement, targets, inputs, options, [&](size_t i, const at::Tensor& moved) {
    if (!distributed[i]) return;
    const at::Tensor& exact = distributed[i]->exact();
    distributed[i]->add(exact + moved.to(exact.device()));
  });
  for (size_t i = 0; i < references.size(); ++i) {
    for (const Spreads* spreads : {&sequential, &distributed}) {
      const std::optional<Spread>& spread = (*spreads)[i];
      if (spread && spread->samples() == options.samples) references[i].spread->raise_to(*spread);
    }
  }
}

}  // namespace assay
