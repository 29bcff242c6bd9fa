// Products and sums in other groups than the sequential program's.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kSummedRows = 4, kSummedInner = 6, kSummedWidth = 3;

TensorRef matrix_product(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  return g.call(name, "aten.mm.default", {a, b}, {g.shape(a)[0], g.shape(b)[1]});
}

TensorRef transposed(GraphBuilder& g, const std::string& name, TensorRef x) {
  return g.call(name, "aten.t.default", {x}, {g.shape(x)[1], g.shape(x)[0]});
}

TensorRef row_sums(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  const TensorRef both = g.call(name + "_both", "aten.mul.Tensor", {a, b}, g.shape(a));
  return g.call(name, "aten.sum.dim_IntList", {both, {1}}, {g.shape(a)[0]});
}

enum class Order { kRight, kOtherFactor, kOtherRows };

/// Row sums of weights * (slopes values^T), which are those of slopes * (weights values).
Case row_sums_of_products(Order order) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef weights = g->input("weights", {kSummedRows, kSummedInner});
    const TensorRef slopes = g->input("slopes", {kSummedRows, kSummedWidth});
    const TensorRef values = g->input("values", {kSummedInner, kSummedWidth});
    const TensorRef turned = transposed(*g, "turned", values);
    const TensorRef inner = matrix_product(*g, "inner", slopes, turned);
    if (g == &c.sequential()) {
      g->output(row_sums(*g, "y", weights, inner));
      continue;
    }
    TensorRef left = weights, right = slopes;
    if (order == Order::kOtherFactor) left = inner;
    if (order == Order::kOtherRows) {
      const TensorRef above =
          g->call("above", "aten.slice.Tensor", {slopes, 0, 0, 2}, {2, kSummedWidth});
      const TensorRef below =
          g->call("below", "aten.slice.Tensor", {slopes, 0, 2, 4}, {2, kSummedWidth});
      right =
          g->call("moved", "aten.cat.default", {{below, above}, 0}, {kSummedRows, kSummedWidth});
    }
    g->output(row_sums(*g, "y", right, matrix_product(*g, "outer", left, values)));
  }
  for (const char* name : {"weights", "slopes", "values"}) c.replicate(name);
  return c.build();
}

TEST(LiftRegroup, SumsOfProductsAreTakenInEitherOrder) {
  EXPECT_TRUE(proves(row_sums_of_products(Order::kRight)));
  EXPECT_FALSE(proves(row_sums_of_products(Order::kOtherFactor)));
  EXPECT_FALSE(proves(row_sums_of_products(Order::kOtherRows)));
}

/// a c - b c; on the rank (a - b) c, or (a - alpha b) c.
Case difference_of_products(double alpha) {
  CaseBuilder c(1);
  const Shape shape{kSummedRows, kSummedInner};
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef x = g->input("a", shape), y = g->input("b", shape), z = g->input("c", shape);
    if (g == &c.sequential()) {
      const TensorRef first = g->call("first", "aten.mul.Tensor", {x, z}, shape);
      const TensorRef second = g->call("second", "aten.mul.Tensor", {y, z}, shape);
      g->output(g->call("y", "aten.sub.Tensor", {first, second}, shape));
    } else {
      const TensorRef part = g->call("part", "aten.sub.Tensor", {x, y, alpha}, shape);
      g->output(g->call("y", "aten.mul.Tensor", {part, z}, shape));
    }
  }
  for (const char* name : {"a", "b", "c"}) c.replicate(name);
  return c.build();
}

TEST(LiftRegroup, ADifferenceTimesAFactorIsTheDifferenceOfTheProducts) {
  EXPECT_TRUE(proves(difference_of_products(1)));
  EXPECT_FALSE(proves(difference_of_products(2)));
}

}  // namespace
}  // namespace assay::test
