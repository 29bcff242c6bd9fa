#include "dynamic_check/raise_spreads.h"

#include <ATen/TensorOperators.h>

#include "dynamic_check/float8_products.h"
#include "dynamic_check/rank_noise.h"
#include "dynamic_check/tolerance/perturbed_run.h"
#include "dynamic_check/tolerance/rounding.h"

namespace assay {
namespace {

// Of every floating reference.
using Spreads = std::vector<std::optional<Spread>>;

Spreads spreads_like(const std::vector<ReferenceTensor>& references) {
  Spreads spreads;
  for (const ReferenceTensor& reference : references) {
    spreads.emplace_back();
    if (reference.spread) spreads.back().emplace(reference.spread->exact());
  }
  return spreads;
}

Values interpret_sequential(const Case& refinement, const RunInputs& inputs, const Noise& noise) {
  std::map<RankTensorName, at::Tensor> whole;
  for (const auto& [name, tensor] : inputs.whole) whole[{name, 0}] = tensor;
  return interpret_with_noise({refinement.sequential}, refinement.sequential_groups,
                              std::move(whole), noise)
      .front();
}

}  // namespace

void raise_by_graphs(std::vector<ReferenceTensor>& references, const Case& refinement,
                     const Targets& targets, const RunInputs& inputs,
                     const DynamicOptions& options) {
  Spreads sequential = spreads_like(references);
  const double roundoff = unit_roundoff(storage_dtype(options.precision));
  for (int sample = 1; sample <= options.samples; ++sample) {
    const Values noisy = interpret_sequential(refinement, inputs, {roundoff, options.seed, sample});
    for (size_t i = 0; i < sequential.size(); ++i) {
      if (!sequential[i]) continue;
      const at::Tensor value =
          evaluate(targets.list[i].sequential, [&](const RankTensorName& leaf) {
            return noisy.at(static_cast<size_t>(refinement.sequential.find(leaf.first)));
          });
      sequential[i]->add(value.to(sequential[i]->exact().device()));
    }
  }
  Spreads distributed = spreads_like(references);
  const auto noise = rank_noise(refinement, targets, inputs, options);
  for (size_t i = 0; i < distributed.size(); ++i) {
    if (!distributed[i]) continue;
    const at::Tensor& exact = distributed[i]->exact();
    for (const at::Tensor& moved : noise[i]) distributed[i]->add(exact + moved.to(exact.device()));
  }
  for (size_t i = 0; i < references.size(); ++i) {
    for (const Spreads* spreads : {&sequential, &distributed}) {
      const std::optional<Spread>& spread = (*spreads)[i];
      if (spread && spread->samples() == options.samples) references[i].spread->raise_to(*spread);
    }
  }
}

}  // namespace assay
