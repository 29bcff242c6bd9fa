// Proof by evaluation of choices and comparisons of what an increasing function gave: they are
// those of what it was given.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

const Shape kRows = {2, 4};

using OfRow = std::function<TensorRef(Calls&, TensorRef)>;

TensorRef itself(Calls&, TensorRef x) { return x; }

OfRow call_of(const std::string& op) {
  return [op](Calls& calls, TensorRef x) { return calls(op, {x}); };
}

TensorRef softmax(Calls& calls, TensorRef x) { return calls("_softmax.default", {x, -1, false}); }

TensorRef negative(Calls& calls, TensorRef x) { return calls("neg.default", {x}); }

/// Where the greatest of each row is.
Formula place_of_greatest(const OfRow& of, const std::string& op = "argmax.default") {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls calls(graph, kRows);
    return calls.of_shape({2}, op, {of(calls, x), 1}, DType::kInt64);
  };
}

/// 1 at the places of some of the greatest (or least), 0 elsewhere.
Formula mask_of(const OfRow& of, int64_t count, bool greatest = true) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls calls(graph, kRows);
    const auto top = graph.call_many("top", "aten.topk.default", {of(calls, x), count, 1, greatest},
                                     {{{2, count}}, {{2, count}, DType::kInt64}});
    const TensorRef zeros = calls("full_like.default", {x, 0});
    return calls("scatter.value", {zeros, 1, top[1], 1.0});
  };
}

/// Whether each element of x is less than that of y.
Formula less(const OfRow& of) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls calls(graph, kRows);
    return calls("lt.Tensor", {of(calls, x), of(calls, y)}, DType::kBool);
  };
}

/// Whether each element is less than a constant.
Formula less_than(const OfRow& of, double limit) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls calls(graph, kRows);
    return calls("lt.Scalar", {of(calls, x), limit}, DType::kBool);
  };
}

bool equal_rows(const Formula& a, const Formula& b) {
  return proves(formulas(a, b, {"x", kRows}, {"y", kRows}));
}

TEST(AlikeInOrder, AChoiceIsThatOfWhatTheFunctionWasGiven) {
  const OfRow sigmoid = call_of("sigmoid.default"), exp = call_of("exp.default"),
              reciprocal = call_of("reciprocal.default");
  EXPECT_TRUE(equal_rows(place_of_greatest(sigmoid), place_of_greatest(itself)));
  EXPECT_TRUE(equal_rows(place_of_greatest(softmax), place_of_greatest(itself)));
  EXPECT_TRUE(equal_rows(mask_of(sigmoid, 2), mask_of(itself, 2)));
  EXPECT_TRUE(equal_rows(mask_of(exp, 2, false), mask_of(itself, 2, false)));
  EXPECT_FALSE(equal_rows(place_of_greatest(sigmoid), place_of_greatest(negative)));
  EXPECT_FALSE(equal_rows(mask_of(sigmoid, 2), mask_of(itself, 3)));
  // 1 / x falls on both sides of 0 alone.
  EXPECT_FALSE(equal_rows(place_of_greatest(reciprocal), place_of_greatest(negative)));
}

TEST(AlikeInOrder, AFunctionOfEachElementsOwnIsAnother) {
  const OfRow biased = [](Calls& calls, TensorRef x) {
    return calls("add.Tensor", {calls("sigmoid.default", {x}), calls("mul.Tensor", {x, x})});
  };
  EXPECT_FALSE(equal_rows(place_of_greatest(biased), place_of_greatest(itself)));
}

TEST(AlikeInOrder, AComparisonIsThatOfTheExponents) {
  const OfRow exp = call_of("exp.default");
  EXPECT_TRUE(equal_rows(less(exp), less(itself)));
  EXPECT_TRUE(equal_rows(less_than(exp, 0.2), less_than(itself, -1.6094379124341003)));
  EXPECT_FALSE(equal_rows(less_than(exp, 0.2), less_than(itself, -1.7)));
  EXPECT_FALSE(equal_rows(less(exp), less(negative)));
}

// No element is greater than itself.
TEST(AlikeInOrder, EqualElementsAreAlikeNothing) {
  const Formula itself_less = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls calls(graph, kRows);
    const TensorRef exponential = calls("exp.default", {x});
    return calls("lt.Tensor", {exponential, exponential}, DType::kBool);
  };
  const Formula never = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls calls(graph, kRows);
    return calls("lt.Tensor", {x, x}, DType::kBool);
  };
  EXPECT_TRUE(equal_rows(itself_less, never));
}

// The checker's rules for the least of reciprocals led back to themselves.
TEST(AlikeInOrder, TheLeastOfReciprocalsAreFound) {
  EXPECT_TRUE(equal_rows(mask_of(call_of("sigmoid.default"), 3, false), mask_of(itself, 3, false)));
  EXPECT_FALSE(equal_rows(mask_of(call_of("sigmoid.default"), 3, false),
                          mask_of(call_of("relu.default"), 3, false)));
}

}  // namespace
}  // namespace assay::test
