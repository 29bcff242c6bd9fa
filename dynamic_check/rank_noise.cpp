#include "dynamic_check/rank_noise.h"

#include <ATen/TensorOperators.h>

#include <set>
#include <utility>

#include "dynamic_check/float8_products.h"
#include "dynamic_check/merge.h"
#include "dynamic_check/tolerance/perturbed_run.h"
#include "dynamic_check/tolerance/rounding.h"

namespace assay {
namespace {

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

  std::vector<std::vector<at::Tensor>> noise() const {
    std::vector<std::vector<at::Tensor>> result(targets_.list.size());
    const std::vector<Merged> exact = replicas(0);
    for (int sample = 1; sample <= options_.samples; ++sample) {
      const std::vector<Merged> noisy = replicas(sample);
      for (size_t i = 0; i < exact.size(); ++i) {
        if (exact[i].fault || noisy[i].fault || !exact[i].value.is_floating_point()) continue;
        result[i].push_back(noisy[i].value - exact[i].value);
      }
    }
    return result;
  }

 private:
  // Sample 0 is without noise.
  std::vector<Merged> replicas(int sample) const {
    const double relative = sample == 0 ? 0 : unit_roundoff(storage_dtype(options_.precision));
    const std::vector<Values> values = interpret_with_noise(
        refinement_.ranks, refinement_.distributed_groups, inputs_.parts,
        {relative, options_.seed, sample},
        [this](Rank rank, TensorId id) { return wanted_.contains({rank, id}); });
    const auto value_of = [&](const RankTensorName& name) {
      const auto rank = static_cast<size_t>(name.second);
      if (name.second < 0 || rank >= values.size()) return at::Tensor();
      const TensorId id = refinement_.ranks[rank].find(name.first);
      return id == kNone ? at::Tensor() : values[rank][static_cast<size_t>(id)];
    };
    std::vector<Merged> merged;
    for (const Target& target : targets_.list)
      merged.push_back(merge(target.replicas.front(), shape_of(target), value_of));
    return merged;
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
  std::set<std::pair<Rank, TensorId>> wanted_;  // what replicas are made of
};

}  // namespace

std::vector<std::vector<at::Tensor>> rank_noise(const Case& refinement, const Targets& targets,
                                                const RunInputs& inputs,
                                                const DynamicOptions& options) {
  try {
    return RankSide(refinement, targets, inputs, options).noise();
  } catch (const UserError&) {  // an operator without a kernel in float64
  } catch (const CollectiveMismatch&) {
  }
  return std::vector<std::vector<at::Tensor>>(targets.list.size());
}

}  // namespace assay
