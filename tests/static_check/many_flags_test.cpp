// Identities that hang on more flags or indices than a few random cases tell apart: all of their
// values are gone through, by the prover and by the checker.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kFlags = 10;

using Formula = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef flags)>;

/// Both formulas of x [2, 3] and ten flags.
Case formulas(const Formula& sequential, const Formula& rank) {
  CaseBuilder builder(1);
  const auto build = [](GraphBuilder& graph, const Formula& formula) {
    const TensorRef x = graph.input("x", {2, 3});
    const TensorRef flags = graph.input("flags", {kFlags}, DType::kBool);
    graph.output("out", formula(graph, x, flags));
  };
  build(builder.sequential(), sequential);
  build(builder.rank(0), rank);
  builder.replicate("x");
  builder.replicate("flags");
  builder.expect("out", {"out@0"});
  return builder.build();
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
  EXPECT_TRUE(proves(formulas(where_all, times_product(kFlags))));
}

/// The two differ for one of 1,024 values of the flags.
TEST(ManyFlags, OneOfThemIsEnoughToDiffer) {
  EXPECT_FALSE(proves(formulas(where_all, times_product(kFlags - 1))));
}

/// Signs of roots are nothing that the flags decide.
TEST(ManyFlags, NothingElseIsDecidedByAFewRuns) {
  const Formula absolute = [](GraphBuilder& graph, TensorRef x, TensorRef flags) {
    const TensorRef square = graph.call("square", "aten.mul.Tensor", {x, x}, {2, 3});
    return where_all(graph, graph.call("root", "aten.sqrt.default", {square}, {2, 3}), flags);
  };
  EXPECT_FALSE(proves(formulas(where_all, absolute)));
  EXPECT_FALSE(proves(formulas(absolute, times_product(kFlags))));
}

}  // namespace
}  // namespace assay::test
