// Why an output has no proof: the failing operators on its cone, ranked, and how the nearest
// candidate differs.
#pragma once

#include <vector>

#include "shared_ir/report.h"
#include "static_check/cover/cover.h"
#include "static_check/problem.h"

namespace assay {

// Failures behind the unproved outputs, most suspicious first: operators whose inputs have
// relations and whose output has none, on paths back from the output that have no relation anywhere
// (notes of the design, "Cover").
std::vector<FailureReport> diagnose(const Problem& problem, const RelationMap& relations,
                                    const std::vector<TensorId>& unproved, const CoverIndex& index);

// An expectation that does not hold: what holds instead. `output`: the sequential tensor, kNone for
// an expression.
FailureReport diagnose_expectation(const Problem& problem, const RelationMap& relations,
                                   const Expectation& expectation, const CleanExpr& replica,
                                   const CoverIndex& index);

FailureReport diagnose_mismatch(const Problem& problem, const CollectiveMismatch& mismatch);

// A sequential tensor and its relation, as reports list the inputs of what fails.
TensorReport input_report(const Graph& graph, const RelationMap& relations, TensorId id);

// True when the relation is a sum over ranks: a reduction is still to be done.
bool is_pending_sum(const std::vector<CleanExpr>& replicas);

}  // namespace assay
