// Why an output has no proof: the failing operators on its cone, ranked, and how the nearest
// candidate differs.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "shared_ir/report/report.h"
#include "static_check/diagnose/nearest.h"
#include "static_check/problem/problem.h"

namespace assay {

// Opaque operators and lifting's limits are said as such; everything else is simply not proved.
Verdict verdict_of(const std::vector<FailureReport>& failures);

// Failures behind the unproved outputs, most suspicious first: operators whose inputs have
// relations and whose output has none, on paths back from the output that have no relation anywhere
// (notes of the design, "Cover").
std::vector<FailureReport> diagnose(const Problem& problem, const RelationMap& relations,
                                    const std::vector<TensorId>& unproved,
                                    const CoverIndices& indices);

// An expectation that does not hold, and the first of its expressions that differs.
struct BrokenExpectation {
  const Expectation* expectation;
  const CleanExpr* replica;
  std::optional<Value> wanted;  // values of both sides, where they could be expressed
  std::optional<Value> found;
};

// What holds instead.
FailureReport diagnose_expectation(const Problem& problem, const RelationMap& relations,
                                   const BrokenExpectation& broken, const CoverIndices& indices);

FailureReport diagnose_mismatch(const Problem& problem, const CollectiveMismatch& mismatch);

FailureReport diagnose_timeout(std::chrono::milliseconds limit);

// A sequential tensor and its relation, as reports list the inputs of what fails.
TensorReport input_report(const Graph& graph, const RelationMap& relations, TensorId id);

bool has_relation(const RelationMap& relations, TensorId tensor);

// True when the relation is a sum over ranks: a reduction is still to be done.
bool is_pending_sum(const std::vector<CleanExpr>& replicas);

}  // namespace assay
