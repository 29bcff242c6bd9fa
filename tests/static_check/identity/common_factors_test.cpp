// Proof by cases where the sign of a sum is that of a factor of its terms.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

testing::AssertionResult equal_pairs(const Body& a, const Body& b) {
  const Shape shape{2};
  const auto of_two = [&](const Body& body) -> Formula {
    return [&](GraphBuilder& graph, TensorRef x, TensorRef y) {
      Terms terms(graph, shape);
      return body(terms, x, y);
    };
  };
  return proves(formulas(of_two(a), of_two(b), {"x", shape}, {"y", shape}));
}

// PPO: the lesser of r a and clamp(r) a, by the sign of the advantage a.
TEST(CommonFactors, AClippedObjectiveIsAChoiceByTheSignOfTheAdvantage) {
  const auto lesser = [](Terms& t, TensorRef x, TensorRef a) {
    const TensorRef ratio = t.map("exp", x);
    const TensorRef clipped = t.call("clamp.default", {ratio, 0.8, 1.2});
    return t.call("minimum.default", {t.mul(ratio, a), t.mul(clipped, a)});
  };
  const auto chosen = [](const char* comparison) {
    return [comparison](Terms& t, TensorRef x, TensorRef a) {
      const TensorRef ratio = t.map("exp", x);
      const TensorRef low = t.call("clamp_max.default", {ratio, 1.2}),
                      high = t.call("clamp_min.default", {ratio, 0.8});
      const TensorRef good = t.call(comparison, {a, 0.0}, DType::kBool);
      return t.mul(t.call("where.self", {good, low, high}), a);
    };
  };
  EXPECT_TRUE(equal_pairs(lesser, chosen("ge.Scalar")));
  EXPECT_FALSE(equal_pairs(lesser, chosen("lt.Scalar")));
}

}  // namespace
}  // namespace assay::test
