// Products and sums in other groups than the sequential program's.
#include <functional>

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

/// A reduction of x over its rows, of which every rank has one: a collective reduces the rows, or a
/// rank adds what it has gathered, one by one.
Case one_row_each(const char* op, const char* collective, int ranks, int wrong_rank = -1) {
  CaseBuilder c(ranks);
  const TensorRef x = c.sequential().input("x", {ranks, 3});
  c.sequential().output(c.sequential().call("y", op, {x, {0}}, {3}));
  for (int r = 0; r < ranks; ++r) {
    GraphBuilder& g = c.rank(r);
    TensorRef row = g.call("row", "aten.squeeze.dim", {g.input("x", {1, 3}), 0}, {3});
    if (r == wrong_rank) row = g.call("twice", "aten.mul.Tensor", {row, 2}, {3});
    g.output(g.call("y", "_c10d_functional.all_reduce.default", {row, collective, "tp"}, {3}));
  }
  c.shard("x", 0);
  return c.build();
}

TEST(LiftRegroup, RowsOfWhichEveryRankHasOneAreReducedByACollective) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_TRUE(proves(one_row_each("aten.sum.dim_IntList", "sum", ranks))) << ranks;
    EXPECT_TRUE(proves(one_row_each("aten.mean.dim", "avg", ranks))) << ranks;
    EXPECT_TRUE(proves(one_row_each("aten.amax.default", "max", ranks))) << ranks;
    EXPECT_TRUE(proves(one_row_each("aten.amin.default", "min", ranks))) << ranks;
    EXPECT_FALSE(proves(one_row_each("aten.sum.dim_IntList", "sum", ranks, 1))) << ranks;
    EXPECT_FALSE(proves(one_row_each("aten.sum.dim_IntList", "avg", ranks))) << ranks;
    EXPECT_FALSE(proves(one_row_each("aten.amax.default", "max", ranks, 1))) << ranks;
    EXPECT_FALSE(proves(one_row_each("aten.amax.default", "min", ranks))) << ranks;
  }
}

/// One; on the ranks the elements of a softmax, of which each has one, or `missing` leaves out the
/// last.
Case softmax_over_ranks(int ranks, bool missing) {
  CaseBuilder c(ranks);
  const auto softmax = [&](GraphBuilder& g) {
    return g.call("s", "aten._softmax.default", {g.input("x", {ranks}), 0, false}, {ranks});
  };
  GraphBuilder& whole = c.sequential();
  whole.output(whole.call("y", "aten.sum.default", {softmax(whole)}, {}));
  for (int r = 0; r < ranks; ++r) {
    GraphBuilder& g = c.rank(r);
    const int element = missing && r + 1 == ranks ? 0 : r;
    const TensorRef own = g.call("own", "aten.select.int", {softmax(g), 0, element}, {});
    g.output(g.call("y", "_c10d_functional.all_reduce.default", {own, "sum", "tp"}, {}));
  }
  c.replicate("x");
  return c.build();
}

TEST(LiftRegroup, ElementsOfASoftmaxOverRanksAddUpToOne) {
  for (const int ranks : {2, 3}) {
    EXPECT_TRUE(proves(softmax_over_ranks(ranks, false))) << ranks;
    EXPECT_FALSE(proves(softmax_over_ranks(ranks, true))) << ranks;
  }
}

/// The sum of x over its rows, added one by one; `times`: how often the last row counts.
Case added_one_by_one(int64_t rows, double times) {
  CaseBuilder c(1);
  c.sequential().output(c.sequential().call("y", "aten.sum.dim_IntList",
                                            {c.sequential().input("x", {rows, 3}), {0}}, {3}));
  GraphBuilder& g = c.rank(0);
  const TensorRef x = g.input("x", {rows, 3});
  TensorRef sum = g.call("r0", "aten.select.int", {x, 0, 0}, {3});
  for (int64_t row = 1; row < rows; ++row) {
    const std::string name = std::to_string(row);
    const TensorRef next = g.call("r" + name, "aten.select.int", {x, 0, row}, {3});
    sum = g.call("s" + name, "aten.add.Tensor", {sum, next}, {3});
    if (row + 1 == rows) g.keyword("alpha", times);
  }
  g.output(sum);
  c.replicate("x");
  return c.build();
}

TEST(LiftRegroup, RowsThatAreAddedOneByOneAreTheirSum) {
  for (const int64_t rows : {2, 3, 5}) {
    EXPECT_TRUE(proves(added_one_by_one(rows, 1))) << rows;
    EXPECT_FALSE(proves(added_one_by_one(rows, 2))) << rows;
  }
}

/// (c x) times (c' w), or c c' c'' x; on the rank by other numbers where `right` is false. The
/// numbers are doubles that no short fraction is.
Case long_coefficients(bool product, bool right) {
  constexpr double kLong = 2.3025850929940455, kLonger = 0.29730177875068026;
  CaseBuilder c(2);
  const auto build = [&](GraphBuilder& g, const Shape& shape, double second) {
    const TensorRef x = g.input("x", shape);
    const TensorRef a = g.call("a", "aten.mul.Scalar", {x, kLong}, shape);
    if (product) {
      const TensorRef w = g.input("w", shape);
      const TensorRef b = g.call("b", "aten.mul.Scalar", {w, second}, shape);
      g.output(g.call("y", "aten.mul.Tensor", {a, b}, shape));
      return;
    }
    const TensorRef b = g.call("b", "aten.mul.Scalar", {a, second}, shape);
    g.output(g.call("y", "aten.mul.Scalar", {b, kLong}, shape));
  };
  build(c.sequential(), {4, 3}, kLonger);
  for (int r = 0; r < 2; ++r) build(c.rank(r), {2, 3}, right ? kLonger : kLong);
  c.shard("x", 0);
  if (product) c.shard("w", 0);
  return c.build();
}

TEST(LiftRegroup, CoefficientsThatLeave64BitsStayInNames) {
  for (const bool product : {true, false}) {
    EXPECT_TRUE(proves(long_coefficients(product, true))) << product;
    EXPECT_FALSE(proves(long_coefficients(product, false))) << product;
  }
}

using Formula2 = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef z)>;

/// Two formulas of x and z [4, 3], one on each side.
Case two_formulas(const Formula2& sequential, const Formula2& rank) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef x = g->input("x", {4, 3}), z = g->input("z", {4, 3});
    g->output((g == &c.rank(0) ? rank : sequential)(*g, x, z));
  }
  c.replicate("x");
  c.replicate("z");
  return c.build();
}

TensorRef formula(GraphBuilder& g, const char* name, const char* op, std::vector<Argument> args) {
  return g.call(name, op, std::move(args), {4, 3});
}

TEST(LiftRegroup, OneFunctionHasOneName) {
  const auto unary = [](const char* op) -> Formula2 {
    return [=](GraphBuilder& g, TensorRef x, TensorRef) { return formula(g, "y", op, {x}); };
  };
  const auto times_sigmoid = [](bool of_x) -> Formula2 {
    return [=](GraphBuilder& g, TensorRef x, TensorRef z) {
      const TensorRef gate = formula(g, "gate", "aten.sigmoid.default", {of_x ? x : z});
      return formula(g, "y", "aten.mul.Tensor", {gate, x});
    };
  };
  const auto clamp = [](double low) -> Formula2 {
    return [=](GraphBuilder& g, TensorRef x, TensorRef) {
      return formula(g, "y", "aten.clamp.default", {x, low});
    };
  };
  const auto of_negated = [](const char* op) -> Formula2 {
    return [=](GraphBuilder& g, TensorRef x, TensorRef z) {
      const TensorRef a = formula(g, "a", "aten.neg.default", {x});
      const TensorRef b = formula(g, "b", "aten.neg.default", {z});
      return formula(g, "y", "aten.neg.default", {formula(g, "m", op, {a, b})});
    };
  };
  const Formula2 maximum = [](GraphBuilder& g, TensorRef x, TensorRef z) {
    return formula(g, "y", "aten.maximum.default", {x, z});
  };
  const Formula2 power = [](GraphBuilder& g, TensorRef x, TensorRef) {
    return formula(g, "y", "aten.pow.Tensor_Scalar", {x, 2});
  };
  const auto product = [](bool of_x) -> Formula2 {
    return [=](GraphBuilder& g, TensorRef x, TensorRef z) {
      return formula(g, "y", "aten.mul.Tensor", {x, of_x ? x : z});
    };
  };
  EXPECT_TRUE(proves(two_formulas(unary("aten.silu.default"), times_sigmoid(true))));
  EXPECT_FALSE(proves(two_formulas(unary("aten.silu.default"), times_sigmoid(false))));
  EXPECT_TRUE(proves(two_formulas(unary("aten.relu.default"), clamp(0))));
  EXPECT_FALSE(proves(two_formulas(unary("aten.relu.default"), clamp(1))));
  EXPECT_TRUE(proves(two_formulas(maximum, of_negated("aten.minimum.default"))));
  EXPECT_FALSE(proves(two_formulas(maximum, of_negated("aten.maximum.default"))));
  EXPECT_TRUE(proves(two_formulas(power, product(true))));
  EXPECT_FALSE(proves(two_formulas(power, product(false))));
}

}  // namespace
}  // namespace assay::test
