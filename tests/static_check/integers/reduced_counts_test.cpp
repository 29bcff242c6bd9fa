// Integers that are added up over ranks: what reads them as numbers gets the sum where the programs
// of all ranks say that it stays in the range of its type, and what wraps around where it may not.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// Of x, which the ranks have shards of: what is made of it in a type of integers, added up, and
/// made of the sum.
struct Sums {
  DType input = DType::kBool;
  int64_t elements = 8;  // of all ranks
  DType summed = DType::kInt32, reduced = DType::kInt32;
  bool other_reduced_first = false;  // of floating numbers, in the same group
  std::function<TensorRef(Calls&, TensorRef)> read = [](Calls& calls, TensorRef sum) {
    return calls.of_shape({}, "_to_copy.default", {sum, DType::kFloat32});
  };
};

TensorRef sum_of(GraphBuilder& graph, const Sums& sums, TensorRef x, DType type, int64_t elements,
                 bool over_ranks) {
  Calls calls(graph, {elements});
  const TensorRef whole = calls("_to_copy.default", {x, type}, type);
  TensorRef sum = calls.of_shape({}, "sum.dim_IntList", {whole, {0}, false, type}, type);
  if (over_ranks) sum = all_reduce(graph, "count", sum, "sum", type);
  return sums.read(calls, sum);
}

Case sums_case(const Sums& sums) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  const TensorRef x = s.input("x", {sums.elements}, sums.input);
  s.output("y", sum_of(s, sums, x, sums.summed, sums.elements, false));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef own = g.input("x", {sums.elements / 2}, sums.input);
    if (sums.other_reduced_first)
      all_reduce(g, "other", g.call("ones", "aten.ones.default", {{2}}, {2}));
    g.output("y", sum_of(g, sums, own, sums.reduced, sums.elements / 2, true));
  }
  c.shard("x", 0);
  c.expect("y", {"y@0", "y@1"});
  return c.build();
}

bool proves_sums(const Sums& sums) { return proves(sums_case(sums)); }

TEST(ReducedCounts, SumsThatFitAreReadAsNumbers) {
  EXPECT_TRUE(proves_sums({}));
  EXPECT_TRUE(proves_sums({.input = DType::kInt8}));
  EXPECT_TRUE(proves_sums({.input = DType::kInt8, .summed = DType::kInt64}));
  EXPECT_TRUE(proves_sums({.input = DType::kInt8, .reduced = DType::kInt64}));
  EXPECT_TRUE(proves_sums({.other_reduced_first = true}));
  EXPECT_TRUE(proves_sums({.elements = 100, .reduced = DType::kInt8}));
}

TEST(ReducedCounts, SumsThatMayWrapAreOthers) {
  EXPECT_TRUE(provers_refuse(sums_case({.input = DType::kInt8, .reduced = DType::kInt8})));
  // Each rank's count fits.
  EXPECT_TRUE(provers_refuse(sums_case({.elements = 160, .reduced = DType::kInt8})));
  EXPECT_TRUE(provers_refuse(sums_case({.input = DType::kInt32, .summed = DType::kInt64})));
  EXPECT_TRUE(proves_sums({.input = DType::kInt32}));
}

TEST(ReducedCounts, TheyAreComparedAsNumbers) {
  const auto distance = [](double limit, bool by_cases) {
    return [=](Calls& calls, TensorRef sum) {
      const TensorRef number = calls.of_shape({}, "_to_copy.default", {sum, DType::kFloat32});
      const TensorRef over = calls.of_shape({}, "sub.Tensor", {number, limit});
      if (!by_cases) return calls.of_shape({}, "abs.default", {over});
      const TensorRef sign = calls.of_shape({}, "sign.default", {over});
      return calls.of_shape({}, "mul.Tensor", {over, sign});
    };
  };
  const auto distances = [&](double of_specification, double of_ranks) {
    CaseBuilder c(2);
    const Sums abs{.read = distance(of_specification, false)},
        sign{.read = distance(of_ranks, true)};
    GraphBuilder& s = c.sequential();
    s.output("y", sum_of(s, abs, s.input("x", {8}, DType::kBool), DType::kInt32, 8, false));
    for (int r = 0; r < 2; ++r) {
      GraphBuilder& g = c.rank(r);
      g.output("y", sum_of(g, sign, g.input("x", {4}, DType::kBool), DType::kInt32, 4, true));
    }
    c.shard("x", 0);
    c.expect("y", {"y@0", "y@1"});
    return c.build();
  };
  EXPECT_TRUE(proves(distances(2, 2)));
  EXPECT_TRUE(provers_refuse(distances(2, 3)));
}

}  // namespace
}  // namespace assay::test
