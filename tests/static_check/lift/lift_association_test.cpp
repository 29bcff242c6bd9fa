// Sums and products in another order of their operations are the same atoms.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using Combine = std::function<TensorRef(GraphBuilder&, const std::vector<TensorRef>&)>;

/// y = exp(what `sequential` makes of a, b, c, d); the ranks have the rows of all four and use
/// `distributed`.
Case four_operands(const Combine& sequential, const Combine& distributed) {
  CaseBuilder made(2);
  const auto build = [](GraphBuilder& graph, int64_t rows, const Combine& combine) {
    std::vector<TensorRef> inputs;
    for (const char* name : {"a", "b", "c", "d"}) inputs.push_back(graph.input(name, {rows, 3}));
    graph.output(graph.call("y", "aten.exp.default", {combine(graph, inputs)}, {rows, 3}));
  };
  build(made.sequential(), 4, sequential);
  for (int r = 0; r < 2; ++r) build(made.rank(r), 2, distributed);
  for (const char* name : {"a", "b", "c", "d"}) made.shard(name, 0);
  return made.build();
}

TensorRef apply(GraphBuilder& graph, const char* op, TensorRef x, TensorRef y) {
  static int calls = 0;
  return graph.call("t" + std::to_string(calls++), op, {x, y}, graph.shape(x));
}

struct Association {
  const char* op;
  const char* other;
};

class Associations : public testing::TestWithParam<Association> {
 protected:
  // ((a op b) op c) op d
  Combine from_left() const {
    return [op = GetParam().op](GraphBuilder& g, const std::vector<TensorRef>& x) {
      return apply(g, op, apply(g, op, apply(g, op, x[0], x[1]), x[2]), x[3]);
    };
  }
  // a op ((d op c) op b), the innermost operation by `innermost`
  Combine from_right(const char* innermost) const {
    return [op = GetParam().op, innermost](GraphBuilder& g, const std::vector<TensorRef>& x) {
      return apply(g, op, x[0], apply(g, op, apply(g, innermost, x[3], x[2]), x[1]));
    };
  }
  // (a op c) op (b op d)
  Combine in_pairs() const {
    return [op = GetParam().op](GraphBuilder& g, const std::vector<TensorRef>& x) {
      return apply(g, op, apply(g, op, x[0], x[2]), apply(g, op, x[1], x[3]));
    };
  }
};

TEST_P(Associations, OfTheSameOperandsAreEqual) {
  EXPECT_TRUE(proves(four_operands(from_left(), from_right(GetParam().op))));
  EXPECT_TRUE(proves(four_operands(from_left(), in_pairs())));
  EXPECT_TRUE(proves(four_operands(in_pairs(), from_right(GetParam().op))));
}

TEST_P(Associations, OfOtherOperationsAreNot) {
  EXPECT_FALSE(proves(four_operands(from_left(), from_right(GetParam().other))));
}

INSTANTIATE_TEST_SUITE_P(Of, Associations,
                         testing::Values(Association{"aten.add.Tensor", "aten.sub.Tensor"},
                                         Association{"aten.mul.Tensor", "aten.div.Tensor"}),
                         [](const auto& one) {
                           return std::string(one.index == 0 ? "sums" : "products");
                         });

TEST(Association, OfSumsAndMultiples) {
  // 2 (a + b) + 2 (c + d) = 2 ((a + c) + (b + d))
  const auto twice = [](GraphBuilder& g, TensorRef x) {
    static int calls = 0;
    return g.call("twice" + std::to_string(calls++), "aten.mul.Scalar", {x, 2.0}, g.shape(x));
  };
  const char* add = "aten.add.Tensor";
  const Combine apart = [&](GraphBuilder& g, const std::vector<TensorRef>& x) {
    return apply(g, add, twice(g, apply(g, add, x[0], x[1])), twice(g, apply(g, add, x[2], x[3])));
  };
  const Combine together = [&](GraphBuilder& g, const std::vector<TensorRef>& x) {
    return twice(g, apply(g, add, apply(g, add, x[0], x[2]), apply(g, add, x[1], x[3])));
  };
  const Combine half = [&](GraphBuilder& g, const std::vector<TensorRef>& x) {
    return apply(g, add, twice(g, apply(g, add, x[0], x[2])), apply(g, add, x[1], x[3]));
  };
  EXPECT_TRUE(proves(four_operands(apart, together)));
  EXPECT_FALSE(proves(four_operands(apart, half)));
}

TEST(Association, OfWhatCancels) {
  // (a + b) - (b + a) + c = c
  const Combine cancels = [](GraphBuilder& g, const std::vector<TensorRef>& x) {
    const TensorRef zero = apply(g, "aten.sub.Tensor", apply(g, "aten.add.Tensor", x[0], x[1]),
                                 apply(g, "aten.add.Tensor", x[1], x[0]));
    return apply(g, "aten.add.Tensor", zero, x[2]);
  };
  const Combine third = [](GraphBuilder&, const std::vector<TensorRef>& x) { return x[2]; };
  const Combine fourth = [](GraphBuilder&, const std::vector<TensorRef>& x) { return x[3]; };
  EXPECT_TRUE(proves(four_operands(third, cancels)));
  EXPECT_FALSE(proves(four_operands(fourth, cancels)));
}

}  // namespace
}  // namespace assay::test
