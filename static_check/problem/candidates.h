// The tensors of both sides as relations speak of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "static_check/cover/cover.h"
#include "static_check/problem/problem.h"

namespace assay {

// The tensor as one that a relation may use; `value` must outlive the candidate. The sequential
// program is rank 0.
Candidate candidate_of(const Graph& graph, const CoreProgram& program, TensorId tensor, Rank rank,
                       const Value& value);

// The tensor as one to be covered, by `value`: its own, or one of the same shape and kind.
CoverIndex::Target target_of(const Graph& graph, const CoreProgram& program, TensorId tensor,
                             const Value& value);

NumberType number_type(const Graph& graph, const CoreProgram& program, TensorId tensor);

// The value of an expression over the sequential tensors, or over the ranks'; nullopt where nothing
// expresses it.
std::optional<Value> sequential_value_of(Problem& problem, const CleanExpr& expr);
std::optional<Value> rank_value_of(Problem& problem, const CleanExpr& expr);

// Why the replica is no number of the sequential expression's type, though it may be equal modulo
// 2^bits; nullopt where it is one.
std::optional<std::string> type_difference(const Problem& problem, const CleanExpr& sequential,
                                           const CleanExpr& replica);

// How tensors of the ranks, in their order, may make up one of the `wanted` shape: each is it, or
// all are put together along a dimension. `shapes`: theirs.
std::vector<std::vector<CleanExpr>> made_of(const std::vector<CleanExpr>& leaves,
                                            const std::vector<Shape>& shapes, const Shape& wanted);

// All tensors that have a value, in the order of the graphs; of the ranks, outputs alone if wanted.
std::vector<Candidate> sequential_candidates(const Problem& problem);
std::vector<Candidate> rank_candidates(const Problem& problem, bool outputs_only);

}  // namespace assay
