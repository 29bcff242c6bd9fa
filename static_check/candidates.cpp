#include "static_check/candidates.h"

#include <numeric>

namespace assay {
namespace {

std::vector<TensorId> all_tensors(const Graph& graph) {
  std::vector<TensorId> ids(graph.tensors.size());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

const Tensor& tensor_of(const Graph& graph, TensorId tensor) {
  return graph.tensors[static_cast<size_t>(tensor)];
}

}  // namespace

Candidate candidate_of(const Graph& graph, TensorId tensor, Rank rank, const Value& value) {
  const Tensor& of = tensor_of(graph, tensor);
  return {of.name, rank, operator_of(graph, tensor), &value, of.dtype};
}

CoverIndex::Target target_of(const Graph& graph, TensorId tensor, const Value& value) {
  const Tensor& of = tensor_of(graph, tensor);
  return {value, of.name, operator_of(graph, tensor), of.dtype};
}

std::vector<Candidate> sequential_candidates(const Problem& problem) {
  const Graph& graph = problem.refinement.sequential;
  std::vector<Candidate> candidates;
  for (const TensorId id : all_tensors(graph))
    if (const Value* value = problem.sequential_value(id))
      candidates.push_back(candidate_of(graph, id, 0, *value));
  return candidates;
}

std::vector<Candidate> rank_candidates(const Problem& problem, bool outputs_only) {
  std::vector<Candidate> candidates;
  for (size_t r = 0; r < problem.refinement.ranks.size(); ++r) {
    const Graph& graph = problem.refinement.ranks[r];
    const auto rank = static_cast<Rank>(r);
    for (const TensorId id : outputs_only ? graph.outputs : all_tensors(graph))
      if (const Value* value = problem.rank_value(rank, id))
        candidates.push_back(candidate_of(graph, id, rank, *value));
  }
  return candidates;
}

}  // namespace assay
