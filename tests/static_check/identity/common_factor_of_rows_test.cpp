// Proof by evaluation of choices and comparisons of what a positive number was multiplied by, or
// divided by: they are those of what it was before. Roots are compared as their squares.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

const Shape kRowsOfFour = {2, 4};
const Shape kOneOfRow = {2, 1};

using FormulaOfTwo = std::function<TensorRef(Calls&, TensorRef x, TensorRef y)>;

Formula formula_of_two(const FormulaOfTwo& of) {
  return [of](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls calls(graph, kRowsOfFour);
    return of(calls, x, y);
  };
}

// x is of rows; y of one number a row, or of rows, too.
Case pair_of(const FormulaOfTwo& a, const FormulaOfTwo& b, const Shape& y) {
  return formulas(formula_of_two(a), formula_of_two(b), {"x", kRowsOfFour}, {"y", y});
}

bool equal_formulas(const FormulaOfTwo& a, const FormulaOfTwo& b, const Shape& y = kOneOfRow) {
  return proves(pair_of(a, b, y));
}

bool other_formulas(const FormulaOfTwo& a, const FormulaOfTwo& b, const Shape& y = kOneOfRow) {
  return provers_refuse(pair_of(a, b, y));
}

TensorRef only_x(Calls&, TensorRef x, TensorRef) { return x; }

TensorRef by_exp(Calls& calls, TensorRef x, TensorRef y) {
  return calls("div.Tensor", {x, calls.of_shape(kOneOfRow, "exp.default", {y})});
}

TensorRef by_any(Calls& calls, TensorRef x, TensorRef y) { return calls("div.Tensor", {x, y}); }

TensorRef times_exp(Calls& calls, TensorRef x, TensorRef y) {
  return calls("mul.Tensor", {x, calls.of_shape(kOneOfRow, "exp.default", {y})});
}

FormulaOfTwo greatest_place(const FormulaOfTwo& row) {
  return [=](Calls& calls, TensorRef x, TensorRef y) {
    return calls.of_shape({2}, "argmax.default", {row(calls, x, y), 1}, DType::kInt64);
  };
}

TEST(CommonFactorOfRows, ARowTimesAPositiveNumberHasItsOrder) {
  EXPECT_TRUE(equal_formulas(greatest_place(by_exp), greatest_place(only_x)));
  EXPECT_TRUE(equal_formulas(greatest_place(by_exp), greatest_place(times_exp)));
  EXPECT_TRUE(other_formulas(greatest_place(by_any), greatest_place(only_x)));
  // The other divisor, and one of each element's own.
  const FormulaOfTwo softmax = [](Calls& calls, TensorRef x, TensorRef y) {
    return calls("div.Tensor", {calls("_softmax.default", {x, -1, false}), y});
  };
  const FormulaOfTwo exponential = [](Calls& calls, TensorRef x, TensorRef y) {
    return calls("div.Tensor", {calls("exp.default", {x}), y});
  };
  EXPECT_TRUE(equal_formulas(greatest_place(softmax), greatest_place(exponential), kRowsOfFour));
  EXPECT_TRUE(other_formulas(greatest_place(softmax), greatest_place(by_any), kRowsOfFour));
}

FormulaOfTwo greater(const FormulaOfTwo& a, const FormulaOfTwo& b) {
  return [=](Calls& calls, TensorRef x, TensorRef y) {
    return calls("gt.Tensor", {a(calls, x, y), b(calls, x, y)}, DType::kBool);
  };
}

TEST(CommonFactorOfRows, ComparedQuotientsAreTheDividends) {
  const FormulaOfTwo square = [](Calls& calls, TensorRef x, TensorRef) {
    return calls("mul.Tensor", {x, x});
  };
  const auto divided = [](const FormulaOfTwo& of, const FormulaOfTwo& by) -> FormulaOfTwo {
    return [=](Calls& calls, TensorRef x, TensorRef y) { return by(calls, of(calls, x, y), y); };
  };
  const FormulaOfTwo compared = greater(only_x, square);
  EXPECT_TRUE(equal_formulas(greater(by_exp, divided(square, by_exp)), compared));
  EXPECT_TRUE(equal_formulas(greater(times_exp, divided(square, times_exp)), compared));
  EXPECT_TRUE(other_formulas(greater(by_any, divided(square, by_any)), compared));
  EXPECT_TRUE(other_formulas(greater(by_exp, divided(square, times_exp)), compared));
  EXPECT_TRUE(other_formulas(greater(divided(square, by_exp), by_exp), compared));
}

TEST(CommonFactorOfRows, AQuotientIsComparedAsItsDividendWithTheMultiple) {
  const auto quotient_exceeds = [](double limit, bool any) -> FormulaOfTwo {
    return [=](Calls& calls, TensorRef x, TensorRef y) {
      const TensorRef quotient = any ? by_any(calls, x, y) : by_exp(calls, x, y);
      return calls("gt.Scalar", {quotient, limit}, DType::kBool);
    };
  };
  const FormulaOfTwo exceeds_multiple = [](Calls& calls, TensorRef x, TensorRef y) {
    const TensorRef divisor = calls.of_shape(kOneOfRow, "exp.default", {y});
    const TensorRef limit = calls.of_shape(kOneOfRow, "mul.Tensor", {divisor, 3});
    return calls("gt.Tensor", {x, limit}, DType::kBool);
  };
  EXPECT_TRUE(equal_formulas(quotient_exceeds(3, false), exceeds_multiple));
  EXPECT_TRUE(other_formulas(quotient_exceeds(2, false), exceeds_multiple));
  EXPECT_TRUE(other_formulas(quotient_exceeds(3, true), exceeds_multiple));
}

TEST(CommonFactorOfRows, RootsAreComparedAsSquares) {
  const auto exceeds = [](double limit, bool root) -> FormulaOfTwo {
    return [=](Calls& calls, TensorRef x, TensorRef) {
      TensorRef sum = calls("add.Tensor", {calls("mul.Tensor", {x, x}), 1});
      if (root) sum = calls("sqrt.default", {sum});
      return calls("gt.Scalar", {sum, limit}, DType::kBool);
    };
  };
  EXPECT_TRUE(equal_formulas(exceeds(3, true), exceeds(9, false)));
  EXPECT_TRUE(other_formulas(exceeds(3, true), exceeds(3, false)));
  // It is greater than any negative number.
  EXPECT_TRUE(other_formulas(exceeds(-3, true), exceeds(9, false)));
}

TEST(CommonFactorOfRows, WhatAnIncreasingFunctionGaveIsPutBackByTheOrderOfWhatItWasGiven) {
  const auto put_back = [](int64_t count) -> FormulaOfTwo {
    return [=](Calls& calls, TensorRef x, TensorRef) {
      const TensorRef gates = calls("sigmoid.default", {x});
      const auto top = calls.graph().call_many("top", "aten.topk.default", {gates, count, 1},
                                               {{{2, count}}, {{2, count}, DType::kInt64}});
      const TensorRef zeros = calls("full_like.default", {x, 0});
      return calls("scatter.src", {zeros, 1, top[1], top[0]});
    };
  };
  const auto masked = [](int64_t count, bool greatest) -> FormulaOfTwo {
    return [=](Calls& calls, TensorRef x, TensorRef) {
      const auto top = calls.graph().call_many("top", "aten.topk.default", {x, count, 1, greatest},
                                               {{{2, count}}, {{2, count}, DType::kInt64}});
      const TensorRef zeros = calls("full_like.default", {x, 0});
      const TensorRef mask = calls("scatter.value", {zeros, 1, top[1], 1.0});
      return calls("mul.Tensor", {mask, calls("sigmoid.default", {x})});
    };
  };
  EXPECT_TRUE(equal_formulas(put_back(2), masked(2, true)));
  EXPECT_TRUE(other_formulas(put_back(2), masked(3, true)));
  EXPECT_TRUE(other_formulas(put_back(2), masked(2, false)));
}

}  // namespace
}  // namespace assay::test
