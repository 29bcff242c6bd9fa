#include "dynamic_check/inputs/run_inputs.h"

#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <set>

#include "dynamic_check/inputs/generate.h"
#include "dynamic_check/relate/relate.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

const Relation& relation_of(const Case& refinement, const std::string& input) {
  for (const Relation& relation : refinement.inputs) {
    if (relation.tensor == input) return relation;
  }
  throw UserError({}, fmt::format("input {} has no input relation in the case", input));
}

at::ScalarType run_type(DType declared, DType precision) {
  return to_scalar_type(is_floating(declared) ? precision : declared);
}

}  // namespace

SelfMade check_self_made(const Case& refinement, const std::vector<DynamicInput>& inputs,
                         const std::map<RankTensorName, at::Tensor>& made) {
  SelfMade result;
  for (const DynamicInput& input : inputs) {
    if (!input.self_made) continue;
    const Relation& relation = relation_of(refinement, input.name);
    std::set<RankTensorName> differing;
    for (const CleanExpr& replica : relation.replicas) {
      const std::vector<RankTensorName> leaves = leaves_of(replica);
      const Merged merged = merge(replica, input.shape, [&](const RankTensorName& name) {
        auto found = made.find(name);
        return found == made.end() ? at::Tensor() : found->second;
      });
      if (merged.fault) {
        throw UserError(
            relation.place, fmt::format("self-made {}: {}", input.name, merged.fault->detail),
            "let every rank make it, under the name and with the shape of the input relation");
      }
      for (const RankTensorName& leaf : leaves) result.parts[leaf] = made.at(leaf);
      const auto [first, is_first] = result.whole.emplace(input.name, merged.value);
      if (!is_first && !at::equal(first->second, merged.value))
        differing.insert(leaves.begin(), leaves.end());
    }
    if (differing.empty() || result.broken) continue;
    DeviationReport broken;
    broken.tensor = input.name;
    broken.kind = "replicas_disagree";
    for (const RankTensorName& leaf : differing) broken.ranks.push_back(leaf.second);
    broken.detail = fmt::format(
        "parameter {} was made by the ranks themselves, and not alike: it is {} on one rank "
        "and something else on others",
        input.name, to_string(relation.replicas.front()));
    result.broken = broken;
  }
  return result;
}

RunInputs make_run_inputs(const Case& refinement, const std::vector<DynamicInput>& inputs,
                          const SelfMade& self_made, DType precision, uint64_t seed) {
  RunInputs result;
  std::vector<Relation> generated;
  for (const DynamicInput& input : inputs) {
    const Relation& relation = relation_of(refinement, input.name);
    const at::ScalarType type = run_type(input.dtype, precision);
    if (input.self_made) {
      result.whole[input.name] = self_made.whole.at(input.name).to(type);
    } else {
      result.whole[input.name] =
          generate(input, seed, boundary_ids(refinement, input.bound)).to(type);
      generated.push_back(relation);
    }
    if (!input.requires_grad) continue;
    result.differentiable.insert(input.name);
    for (const CleanExpr& replica : relation.replicas) {
      for (const RankTensorName& leaf : leaves_of(replica))
        result.parts_differentiable.insert(leaf);
    }
  }
  result.parts = parts_of(generated, refinement.ranks, result.whole, seed);
  for (const auto& [name, tensor] : self_made.parts) {
    result.parts[name] = tensor.is_floating_point() ? tensor.to(to_scalar_type(precision)) : tensor;
  }
  return result;
}

}  // namespace assay
