// Proof by evaluation of what conditions choose: a function of it is chosen by the condition of
// what it is of both.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

/// Whether x * y > 0, as programs compute a mask.
TensorRef mask_of(Terms& t, TensorRef x, TensorRef y) {
  return t.call("gt.Scalar", {t.mul(x, y), 0.0}, DType::kBool);
}

TensorRef where(Terms& t, TensorRef flag, TensorRef met, TensorRef unmet) {
  return t.call("where.self", {flag, met, unmet});
}

TensorRef softmax_of(Terms& t, TensorRef x) { return t.call("_softmax.default", {x, -1, false}); }

/// Where the mask is met x, elsewhere x - `by`.
TensorRef lowered(Terms& t, TensorRef x, TensorRef y, double by = 1) {
  return where(t, mask_of(t, x, y), x, t.add(x, -by));
}

// (exp of a choice) / its mean over the row, before and behind the choice.
TEST(Conditionals, ANormalisedExponentialIsOfEitherChoice) {
  const auto of_choice = [](Terms& t, TensorRef x, TensorRef y) {
    return softmax_of(t, lowered(t, x, y));
  };
  const auto choice_of = [](double by) {
    return [by](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef either =
          where(t, mask_of(t, x, y), t.map("exp", x), t.map("exp", t.add(x, -by)));
      return softmax_of(t, t.map("log", either));
    };
  };
  EXPECT_TRUE(equal(of_choice, choice_of(1)));
  EXPECT_FALSE(equal(of_choice, choice_of(2)));
}

TEST(Conditionals, AFunctionOfAChoiceIsChosen) {
  for (const char* function : {"exp", "erf", "reciprocal", "sigmoid", "tanh", "sqrt"}) {
    const auto of_choice = [&](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef either = where(t, mask_of(t, x, y), t.positive(x), t.positive(y));
      return t.add(t.map(function, either), either);
    };
    const auto choice_of = [&](bool turned) {
      return [&, turned](Terms& t, TensorRef x, TensorRef y) {
        const auto term = [&](TensorRef z) {
          return t.add(t.map(function, t.positive(z)), t.positive(z));
        };
        return turned ? where(t, mask_of(t, x, y), term(y), term(x))
                      : where(t, mask_of(t, x, y), term(x), term(y));
      };
    };
    EXPECT_TRUE(equal(of_choice, choice_of(false))) << function;
    EXPECT_FALSE(equal(of_choice, choice_of(true))) << function;
  }
}

// What is left out is 0, of which the exponential is 1.
TEST(Conditionals, AFunctionOfWhatIsLeftOutIsItOfZero) {
  const auto inside = [](Terms& t, TensorRef x, TensorRef y) {
    return t.map("exp", t.mul(x, where(t, mask_of(t, x, y), y, t.mul(y, 0.0))));
  };
  const auto outside = [](double otherwise) {
    return [otherwise](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef one = t.add(t.mul(x, 0.0), otherwise);
      return where(t, mask_of(t, x, y), t.map("exp", t.mul(x, y)), one);
    };
  };
  EXPECT_TRUE(equal(inside, outside(1)));
  EXPECT_FALSE(equal(inside, outside(0)));
}

// Two conditions at once, each of which may be met.
TEST(Conditionals, ProductsAreChosenByBothConditions) {
  const auto product = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef first = where(t, mask_of(t, x, y), x, y);
    const TensorRef second = where(t, t.call("gt.Scalar", {x, 1.0}, DType::kBool), y, t.add(y, 2));
    return t.map("exp", t.add(first, second));
  };
  const auto of_exponentials = [](double by) {
    return [by](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef first = where(t, mask_of(t, x, y), t.map("exp", x), t.map("exp", y));
      const TensorRef second = where(t, t.call("gt.Scalar", {x, 1.0}, DType::kBool),
                                     t.map("exp", y), t.map("exp", t.add(y, by)));
      return t.mul(first, second);
    };
  };
  EXPECT_TRUE(equal(product, of_exponentials(2)));
  EXPECT_FALSE(equal(product, of_exponentials(1)));
}

}  // namespace
}  // namespace assay::test
