#include "dynamic_check/judge/rank_noise.h"

#include <ATen/TensorOperators.h>

#include <functional>
#include <set>
#include <utility>

#include "dynamic_check/judge/raise_spreads.h"
#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"

namespace assay {
namespace {

// Told of a target, by its index in Targets::list, one sample of its noise.
using RankNoise = std::function<void(size_t target, const at::Tensor& moved)>;

class RankSide {
 public:
  RankSide(const Case& refinement, const Targets& targets, const RunInputs& inputs,
           const DynamicOptions& options)
      : refinement_(refinement), targets_(targets), inputs_(inputs), options_(options) {
    for (const Target& target : targets.list) {
      for (const auto& [name, rank] : leaves_of(target.replicas.front())) {
        const auto index = static_cast<size_t>(rank);
        if (rank >= 0 && index < refinement.ranks.size())
          wanted_.emplace(rank, refinement.ranks[index].find(name));
      }
    }
  }

  void tell(const RankNoise& told) const {
    std::vector<Merged> exact(targets_.list.size());
    each_replica(0, [&](size_t i, Merged merged) {
      if (!merged.fault) merged.value = kept_copy(merged.value);
      exact[i] = std::move(merged);
    });
    for (int sample = 1; sample <= options_.samples; ++sample) {
      each_replica(sample, [&](size_t i, const Merged& noisy) {
        if (exact[i].fault || noisy.fault || !exact[i].value.is_floating_point()) return;
        told(i, noisy.value - exact[i].value);
      });
    }
  }

 private:
  // Sample 0 is without noise.
  template <typename Told>
  void each_replica(int sample, const Told& told) const {
    const double relative = sample == 0 ? 0 : unit_roundoff(storage_dtype(options_.precision));
    const std::vector<Values> values = interpret_with_noise(
        refinement_.ranks, refinement_.distributed_groups, inputs_.parts,
        {relative, options_.seed, sample},
        [this](Rank rank, TensorId id) { return wanted_.contains({rank, id}); }, &declared_);
    const auto value_of = [&](const RankTensorName& name) {
      const auto rank = static_cast<size_t>(name.second);
      if (name.second < 0 || rank >= values.size()) return at::Tensor();
      const TensorId id = refinement_.ranks[rank].find(name.first);
      return id == kNone ? at::Tensor() : values[rank][static_cast<size_t>(id)];
    };
    for (size_t i = 0; i < targets_.list.size(); ++i) {
      const Target& target = targets_.list[i];
      told(i, merge(target.replicas.front(), shape_of(target), value_of));
    }
  }

  Shape shape_of(const Target& target) const {
    const Graph& graph = refinement_.sequential;
    const auto leaf = [&](const std::string& name, Rank) {
      return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
    };
    return infer_shape(target.sequential, leaf, {});
  }

  const Case& refinement_;
  const Targets& targets_;
  const RunInputs& inputs_;
  const DynamicOptions& options_;
  const DeclaredOperators declared_{refinement_.operator_files};
  std::set<std::pair<Rank, TensorId>> wanted_;  // what replicas are made of
};

// Tells per target options.samples tensors: a replica of it rebuilt from a float64 run of the
// ranks' graphs with noise (perturbed_run.h), less the same without. None where it is not floating
// or cannot be rebuilt; fewer when the graphs cannot be interpreted to the end: returns why, else
// nothing. What the ranks compute wrongly is wrong in both runs and leaves no trace. No more than
// one run is in memory at a time.
std::string rank_noise(const Case& refinement, const Targets& targets, const RunInputs& inputs,
                       const DynamicOptions& options, const RankNoise& told) {
  std::string why;
  try {
    RankSide(refinement, targets, inputs, options).tell(told);
  } catch (const UserError& error) {  // an operator without a kernel in float64
    why = error.what();
  } catch (const UnmetCollectives& unmet) {
    why = unmet.message;
  }
  return why.empty() ? why : "runs of the ranks' graphs, which may raise tolerances: " + why;
}

}  // namespace

std::string raise_by_ranks(std::vector<ExpectedTensor>& references, const Case& refinement,
                           const Targets& targets, const RunInputs& inputs,
                           const DynamicOptions& options) {
  Spreads spreads = spreads_like(references);
  std::string why_not =
      rank_noise(refinement, targets, inputs, options, [&](size_t i, const at::Tensor& moved) {
        if (!spreads[i]) return;
        const at::Tensor& exact = spreads[i]->exact();
        spreads[i]->add(exact + moved.to(exact.device()));
      });
  for (size_t i = 0; i < references.size(); ++i) {
    if (!spreads[i] || spreads[i]->samples() != options.samples) continue;
    const double times = references[i].spread->times(*spreads[i]);
    if (times > kSameNoise)
      references[i].excess_noise = times;
    else
      references[i].spread->raise_to(*spreads[i], kSameNoise);
  }
  return why_not;
}

}  // namespace assay
