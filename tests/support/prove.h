#pragma once

#include <gtest/gtest.h>

#include <string>

#include "static_check/check.h"
#include "tests/support/claims/expect_claims_hold.h"
#include "tests/support/graph_builder.h"

namespace assay::test {

/// The static check with the built-in declarations. Its certificate has been replayed, and every
/// claim is executed in float64.
inline StaticResult prove(const Case& refinement) {
  const OperatorTable operators = OperatorTable::builtin();
  StaticResult result = static_check(refinement, operators);
  EXPECT_EQ(result.rejected, "") << "the checker rejects the certificate";
  if (result.report.verdict != Verdict::kRefuted && result.rejected.empty()) {
    EXPECT_GT(result.replayed, 0) << "no claim of the certificate was replayed";
  }
  for (const uint64_t seed : {1, 2, 3}) expect_claims_hold(refinement, result, seed);
  return result;
}

/// Whether the case is proved, with the failures otherwise.
inline testing::AssertionResult proves(const Case& refinement) {
  const StaticResult result = prove(refinement);
  if (result.report.verdict == Verdict::kProved) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure() << to_string(result.report.verdict);
  for (const FailureReport& why : result.report.failures) {
    failure << "; " << why.op << " " << why.node << ": " << why.reason << " (" << why.nearest
            << ")";
  }
  return failure;
}

/// Whether the provers take the case for no right one, without the runs at random numbers that
/// refute most wrong ones before.
inline bool provers_refuse(const Case& refinement) {
  StaticOptions options;
  options.refute_first = false;
  const StaticResult result = static_check(refinement, OperatorTable::builtin(), options);
  return result.report.verdict != Verdict::kProved;
}

inline TensorRef all_reduce(GraphBuilder& graph, const std::string& name, TensorRef x,
                            const char* reduce = "sum", DType dtype = DType::kFloat32) {
  return graph.call(name, "_c10d_functional.all_reduce.default", {x, reduce, "tp"}, graph.shape(x),
                    dtype);
}

inline TensorRef all_gather(GraphBuilder& graph, const std::string& name, TensorRef x, int ranks) {
  Shape shape = graph.shape(x);
  shape[0] *= ranks;
  return graph.call(name, "_c10d_functional.all_gather_into_tensor.default", {x, ranks, "tp"},
                    shape);
}

inline TensorRef reduce_scatter(GraphBuilder& graph, const std::string& name, TensorRef x,
                                int ranks) {
  Shape shape = graph.shape(x);
  shape[0] /= ranks;
  return graph.call(name, "_c10d_functional.reduce_scatter_tensor.default", {x, "sum", ranks, "tp"},
                    shape);
}

}  // namespace assay::test
