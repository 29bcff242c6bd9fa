#include "dynamic_check/inputs/generate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "dynamic_check/numbers/numbers.h"

namespace assay {
namespace {

void collect_integers(const Arg& arg, std::set<int64_t>& integers) {
  if (const auto* integer = std::get_if<int64_t>(&arg.value)) integers.insert(*integer);
  if (const auto* list = std::get_if<ArgList>(&arg.value)) {
    for (const Arg& element : *list) collect_integers(element, integers);
  }
}

at::Tensor generate_ids(const DynamicInput& input, const RandomKey& key,
                        const std::vector<int64_t>& boundaries) {
  if (input.bound <= 0) {
    throw UserError({}, fmt::format("input {} holds ids but has no bound", input.name),
                    "say how many ids there are");
  }
  at::Tensor ids = at::empty(input.shape, at::kLong);
  auto* out = ids.mutable_data_ptr<int64_t>();
  size_t next = 0;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const auto index = static_cast<uint64_t>(i);
    if (input.beside && random_bits(key, index, 2) % 8 == 0) {
      out[i] = *input.beside;
      continue;
    }
    const bool at_boundary = !boundaries.empty() && random_bits(key, index, 0) % 2 == 0;
    out[i] =
        at_boundary
            ? boundaries[next++ % boundaries.size()]
            : static_cast<int64_t>(random_bits(key, index, 1) % static_cast<uint64_t>(input.bound));
  }
  return ids;
}

at::Tensor generate_activation(const DynamicInput& input, const RandomKey& key) {
  at::Tensor values = normal_tensor(key, input.shape);
  auto* out = values.mutable_data_ptr<double>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    if (random_bits(key, static_cast<uint64_t>(i), 2) % 64 == 0) out[i] *= 4;
  }
  return values;
}

}  // namespace

std::vector<int64_t> boundary_ids(const Case& refinement, int64_t bound) {
  if (bound <= 0) return {};  // no ids
  std::set<int64_t> constants{0, bound - 1};
  auto collect = [&](const Graph& graph) {
    for (const Node& node : graph.nodes) {
      for (const Arg& arg : node.args) collect_integers(arg, constants);
      for (const auto& [name, arg] : node.kwargs) collect_integers(arg, constants);
    }
  };
  collect(refinement.sequential);
  for (const Graph& rank : refinement.ranks) collect(rank);
  std::set<int64_t> ids;
  for (int64_t constant : constants) {
    if (constant < -1 || constant > bound) continue;  // an end beyond any size, for one
    for (int64_t id = constant - 1; id <= constant + 1; ++id) {
      if (id >= 0 && id < bound) ids.insert(id);
    }
  }
  return {ids.begin(), ids.end()};
}

at::Tensor generate(const DynamicInput& input, uint64_t seed,
                    const std::vector<int64_t>& boundaries) {
  const RandomKey key{seed, input.name};
  switch (input.role) {
    case InputRole::kActivation:
      return generate_activation(input, key);
    case InputRole::kWeight: {
      const int64_t fan_in = input.shape.empty() ? 1 : input.shape.back();
      return normal_tensor(key, input.shape) /
             std::sqrt(static_cast<double>(std::max<int64_t>(fan_in, 1)));
    }
    case InputRole::kScale:
      return normal_tensor(key, input.shape) * 0.2 + 1;
    case InputRole::kBias:
    case InputRole::kFirstMoment:
      return normal_tensor(key, input.shape) * 0.2;
    case InputRole::kSecondMoment:
      return ((normal_tensor(key, input.shape) * 0.2 + 1) * 0.2).square();
    case InputRole::kTokenIds:
    case InputRole::kLabels:
      return generate_ids(input, key, boundaries);
    case InputRole::kMask: {
      const at::Tensor mask = symmetric_tensor(key, input.shape) > 0;
      return is_floating(input.dtype) ? mask.to(at::kDouble)
             : is_bool(input.dtype)   ? mask
                                      : mask.to(at::kLong);
    }
  }
  throw InternalError("unknown role of an input");
}

std::map<RankTensorName, at::Tensor> parts_of(const std::vector<Relation>& relations,
                                              const std::vector<Graph>& ranks,
                                              const std::map<std::string, at::Tensor>& whole,
                                              uint64_t seed) {
  Parts parts(seed);
  auto shape_of = [&](const RankTensorName& name) {
    const Graph& graph = ranks.at(static_cast<size_t>(name.second));
    const TensorId id = graph.find(name.first);
    if (id == kNone)
      throw UserError({}, fmt::format("rank {} has no tensor {}", name.second, name.first));
    return graph.tensors[static_cast<size_t>(id)].shape;
  };
  for (const Relation& relation : relations) {
    auto found = whole.find(relation.tensor);
    if (found == whole.end()) {
      throw UserError(relation.place, fmt::format("input {} of the case is not declared to the run",
                                                  relation.tensor));
    }
    for (const CleanExpr& replica : relation.replicas) {
      parts.hand_out(replica, found->second, shape_of, relation.place);
    }
  }
  return parts.take();
}

}  // namespace assay
