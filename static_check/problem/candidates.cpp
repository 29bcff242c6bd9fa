#include "static_check/problem/candidates.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "static_check/cover/evaluate.h"

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

std::optional<Value> value_of(Lifting& lifting, const CleanExpr& expr,
                              const std::function<const Value*(const std::string&, Rank)>& find) {
  try {
    return evaluate(lifting, expr, [&](const std::string& name, Rank rank) -> const Value& {
      const Value* value = find(name, rank);
      if (value == nullptr) throw NotLifted{name + " is never computed"};
      return *value;
    });
  } catch (const NotLifted&) {
    return std::nullopt;
  }
}

}  // namespace

NumberType number_type(const Graph& graph, const CoreProgram& program, TensorId tensor) {
  return {tensor_of(graph, tensor).dtype, program.may_wrap[static_cast<size_t>(tensor)]};
}

Candidate candidate_of(const Graph& graph, const CoreProgram& program, TensorId tensor, Rank rank,
                       const Value& value) {
  return {tensor_of(graph, tensor).name, rank, operator_of(graph, tensor), &value,
          number_type(graph, program, tensor)};
}

CoverIndex::Target target_of(const Graph& graph, const CoreProgram& program, TensorId tensor,
                             const Value& value) {
  return {value, tensor_of(graph, tensor).name, operator_of(graph, tensor),
          number_type(graph, program, tensor)};
}

std::optional<Value> sequential_value_of(Problem& problem, const CleanExpr& expr) {
  return value_of(problem.lifting, expr, [&](const std::string& name, Rank) {
    return problem.sequential_value(problem.refinement.sequential.find(name));
  });
}

std::optional<Value> rank_value_of(Problem& problem, const CleanExpr& expr) {
  return value_of(problem.lifting, expr, [&](const std::string& name, Rank rank) {
    return problem.rank_value(rank, problem.rank_graph(rank).find(name));
  });
}

std::optional<std::string> type_difference(const Problem& problem, const CleanExpr& sequential,
                                           const CleanExpr& replica) {
  const auto of_rank = [&](const CleanExpr& leaf) {
    const Graph& graph = problem.rank_graph(leaf.rank);
    return number_type(graph, problem.rank_programs[static_cast<size_t>(leaf.rank)],
                       graph.find(leaf.name));
  };
  const auto of_sequential = [&](const CleanExpr& leaf) {
    const Graph& graph = problem.refinement.sequential;
    return number_type(graph, problem.sequential_program, graph.find(leaf.name));
  };
  std::optional<std::string> difference;
  for_each_leaf(sequential, [&](const CleanExpr& leaf) {
    const NumberType wanted = of_sequential(leaf);
    if (difference ||
        (is_of_type(replica, wanted, of_rank) && is_of_type(sequential, wanted, of_sequential)))
      return;
    difference = leaf.name + " is " + std::string(to_string(wanted.dtype)) +
                 ", and integers of other widths or fractions of them wrap around elsewhere";
    for_each_leaf(replica, [&](const CleanExpr& other) {
      const NumberType found = of_rank(other);
      if (found.dtype == wanted.dtype) return;
      difference = leaf.name + " is " + std::string(to_string(wanted.dtype)) + ", but " +
                   to_string(other) + " " + std::string(to_string(found.dtype)) +
                   ", which wraps around elsewhere";
    });
  });
  return difference;
}

std::vector<std::vector<CleanExpr>> made_of(const std::vector<CleanExpr>& leaves,
                                            const std::vector<Shape>& shapes, const Shape& wanted) {
  if (leaves.empty()) return {};
  if (std::ranges::all_of(shapes, [&](const Shape& shape) { return shape == wanted; }))
    return {leaves};
  std::vector<std::vector<CleanExpr>> result;
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    Shape rest = wanted;
    const bool fits = std::ranges::all_of(shapes, [&](Shape shape) {
      if (shape.size() != wanted.size()) return false;
      rest[dim] -= shape[dim];
      shape[dim] = wanted[dim];
      return shape == wanted;
    });
    if (!fits || rest[dim] != 0) continue;
    CleanExpr concat;
    concat.kind = CleanExpr::Kind::kConcat;
    concat.dim = static_cast<Int>(dim);
    concat.operands = leaves;
    result.push_back({std::move(concat)});
  }
  return result;
}

std::vector<Candidate> sequential_candidates(const Problem& problem) {
  const Graph& graph = problem.refinement.sequential;
  std::vector<Candidate> candidates;
  for (const TensorId id : all_tensors(graph))
    if (const Value* value = problem.sequential_value(id))
      candidates.push_back(candidate_of(graph, problem.sequential_program, id, 0, *value));
  return candidates;
}

std::vector<Candidate> rank_candidates(const Problem& problem, bool outputs_only) {
  std::vector<Candidate> candidates;
  for (size_t r = 0; r < problem.refinement.ranks.size(); ++r) {
    const Graph& graph = problem.refinement.ranks[r];
    const auto rank = static_cast<Rank>(r);
    for (const TensorId id : outputs_only ? graph.outputs : all_tensors(graph))
      if (const Value* value = problem.rank_value(rank, id))
        candidates.push_back(candidate_of(graph, problem.rank_programs[r], id, rank, *value));
  }
  return candidates;
}

}  // namespace assay
