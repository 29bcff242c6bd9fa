#include "dynamic_check/witness/witness_inputs.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sort.h>

#include <algorithm>
#include <set>
#include <string>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/witness/id_bounds.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/lower/lower.h"

namespace assay {
namespace {

// The program of a graph that reads integers; empty for another, whose inputs have no bounds.
CoreProgram program_of(const Case& refinement, Rank rank, const OperatorTable& operators) {
  const Graph& graph =
      rank == kNone ? refinement.sequential : refinement.ranks[static_cast<size_t>(rank)];
  const bool reads_integers = std::ranges::any_of(graph.inputs, [&](TensorId id) {
    return is_integer(graph.tensors[static_cast<size_t>(id)].dtype);
  });
  if (!reads_integers) return {};
  return rank == kNone ? lower_sequential(refinement, operators)
                       : lower_rank(refinement, rank, operators);
}

DynamicInput describe(const Graph& graph, const CoreProgram& program, TensorId id, IdRange range) {
  const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
  DynamicInput input;
  input.name = tensor.name;
  input.shape = tensor.shape;
  input.dtype = tensor.dtype;
  if (is_integer(tensor.dtype)) {
    input.role = InputRole::kTokenIds;
    const IdBound ids = id_bound(program, id);
    input.bound = ids.bound;
    input.beside = ids.beside;
    if (range == IdRange::kBeyond && ids.beyond) {
      input.beside = ids.beyond->first;
      input.bound = ids.beyond->second + 1;
    }
  } else if (is_bool(tensor.dtype)) {
    input.role = InputRole::kMask;
  } else {
    input.role = guessed_role(tensor.shape.size());
  }
  return input;
}

at::Tensor make(const Case& refinement, const DynamicInput& input, uint64_t seed, double scale,
                const Drawn& drawn) {
  at::Tensor value = generate(input, seed, boundary_ids(refinement, input.bound));
  if (drawn.ascending && value.dim() > 0) value = std::get<0>(at::sort(value, -1));
  if (value.is_floating_point()) return value * scale;
  if (drawn.more != 0 && is_integer(input.dtype)) value = value + drawn.more;
  return value.to(to_scalar_type(input.dtype));
}

}  // namespace

DescribedInputs describe_inputs(const Case& refinement, IdRange range) {
  const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  const Graph& sequential = refinement.sequential;
  const CoreProgram program = program_of(refinement, kNone, operators);
  std::set<TensorId> whole(sequential.inputs.begin(), sequential.inputs.end());
  // A relation may speak of a tensor whose value the capture lost.
  for (const Relation& relation : refinement.inputs) whole.insert(sequential.find(relation.tensor));
  DescribedInputs result;
  for (const TensorId id : whole) {
    result.sequential.push_back(describe(sequential, program, id, range));
    result.open_ids |= is_integer(sequential.tensors[static_cast<size_t>(id)].dtype) &&
                       id_bound(program, id).beyond.has_value();
  }
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    const Graph& graph = refinement.ranks[rank];
    const CoreProgram own = program_of(refinement, static_cast<Rank>(rank), operators);
    result.ranks.emplace_back();
    for (const TensorId id : graph.inputs)
      result.ranks.back().push_back(describe(graph, own, id, range));
  }
  return result;
}

WitnessInputs make_witness_inputs(const Case& refinement, const DescribedInputs& described,
                                  uint64_t seed, double scale, const Drawn& drawn) {
  WitnessInputs result;
  std::map<std::string, at::Tensor> whole;
  for (const DynamicInput& input : described.sequential)
    whole.try_emplace(input.name, make(refinement, input, seed, scale, drawn));
  for (const auto& [name, tensor] : whole) result.sequential[{name, 0}] = tensor;

  result.distributed = parts_of(refinement.inputs, refinement.ranks, whole, seed);
  for (size_t rank = 0; rank < described.ranks.size(); ++rank) {
    for (DynamicInput input : described.ranks[rank]) {
      const RankTensorName name{input.name, static_cast<Rank>(rank)};
      if (result.distributed.contains(name)) continue;
      input.name = "unrelated " + input.name + "@" + std::to_string(rank);
      result.distributed[name] = make(refinement, input, seed, scale, drawn);
    }
  }
  return result;
}

}  // namespace assay
