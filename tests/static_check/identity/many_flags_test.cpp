// Identities that hang on more flags or indices than a few random cases tell apart: all of their
// values are gone through, by the prover and by the checker.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kFlags = 10;

/// Both formulas of x [2, 3] and ten flags.
Case of_flags(const Formula& sequential, const Formula& rank) {
  return formulas(sequential, rank, {"x", {2, 3}}, {"flags", {kFlags}, DType::kBool});
}

TensorRef kept(GraphBuilder& graph, TensorRef x, TensorRef flag) {
  const TensorRef zeros = graph.call("zeros", "aten.zeros_like.default", {x}, {2, 3});
  return graph.call("kept", "aten.where.self", {flag, x, zeros}, {2, 3});
}

TensorRef where_all(GraphBuilder& graph, TensorRef x, TensorRef flags) {
  return kept(graph, x, graph.call("all", "aten.all.default", {flags}, {}, DType::kBool));
}

/// x times the product of the first `count` flags.
Formula times_product(int64_t count) {
  return [count](GraphBuilder& graph, TensorRef x, TensorRef flags) {
    const TensorRef some =
        graph.call("some", "aten.slice.Tensor", {flags, 0, 0, count}, {count}, DType::kBool);
    const TensorRef ones = graph.call("ones", "aten.mul.Scalar", {some, 1.0}, {count});
    const TensorRef product = graph.call("product", "aten.prod.default", {ones}, {});
    return graph.call("times", "aten.mul.Tensor", {x, product}, {2, 3});
  };
}

TEST(ManyFlags, AllOfTheirValuesAreGoneThrough) {
  EXPECT_TRUE(proves(of_flags(where_all, times_product(kFlags))));
}

/// The two differ for one of 1,024 values of the flags.
TEST(ManyFlags, OneOfThemIsEnoughToDiffer) {
  EXPECT_FALSE(proves(of_flags(where_all, times_product(kFlags - 1))));
}

/// Signs of roots are nothing that the flags decide.
TEST(ManyFlags, NothingElseIsDecidedByAFewRuns) {
  const Formula absolute = [](GraphBuilder& graph, TensorRef x, TensorRef flags) {
    const TensorRef square = graph.call("square", "aten.mul.Tensor", {x, x}, {2, 3});
    return where_all(graph, graph.call("root", "aten.sqrt.default", {square}, {2, 3}), flags);
  };
  EXPECT_FALSE(proves(of_flags(where_all, absolute)));
  EXPECT_FALSE(proves(of_flags(absolute, times_product(kFlags))));
}

}  // namespace
}  // namespace assay::test
