// Proof by evaluation where powers, logarithms, angles and signs are in it: what holds of positive
// numbers is proved of these, and not of others.
#include <gtest/gtest.h>

#include <string>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

TEST(IdentityOfPowers, ARootOfAProductIsOneOfRootsWherePositive) {
  const auto together = [](bool positive) {
    return [positive](Terms& t, TensorRef x, TensorRef y) {
      if (positive) x = t.positive(x), y = t.positive(y);
      return t.map("sqrt", t.mul(x, y));
    };
  };
  const auto apart = [](bool positive, const char* second) {
    return [positive, second](Terms& t, TensorRef x, TensorRef y) {
      if (positive) x = t.positive(x), y = t.positive(y);
      return t.mul(t.map("sqrt", x), t.map(second, y));
    };
  };
  EXPECT_TRUE(equal(together(true), apart(true, "sqrt")));
  EXPECT_FALSE(equal(together(true), apart(true, "rsqrt")));
  // The checker does not take it that what roots are of is positive.
  const Case of_any = formulas(formula(together(false)), formula(apart(false, "sqrt")));
  EXPECT_EQ(static_check(of_any, OperatorTable::builtin()).report.verdict, Verdict::kUnproved);
}

TEST(IdentityOfPowers, AConstantComesOutOfARoot) {
  const auto within = [](Terms& t, TensorRef x, TensorRef) {
    return t.map("sqrt", t.mul(t.positive(x), 4));
  };
  const auto outside = [](double by) {
    return
        [by](Terms& t, TensorRef x, TensorRef) { return t.mul(t.map("sqrt", t.positive(x)), by); };
  };
  EXPECT_TRUE(equal(within, outside(2)));
  EXPECT_FALSE(equal(within, outside(-2)));
  EXPECT_FALSE(equal(within, outside(4)));
}

// The product of two sums of squares, each of which is a multiple of what the other program has.
TEST(IdentityOfPowers, TheSquareOfAConstantComesOutOfARootOfAProduct) {
  const auto product = [](Terms& t, TensorRef x, TensorRef y, double by) {
    return t.map("sqrt", t.mul(t.mul(x, by), t.mul(y, by)));
  };
  const auto within = [&](Terms& t, TensorRef x, TensorRef y) { return product(t, x, y, 48); };
  const auto outside = [&](double by) {
    return [&, by](Terms& t, TensorRef x, TensorRef y) { return t.mul(product(t, x, y, 1), by); };
  };
  EXPECT_TRUE(equal(within, outside(48)));
  EXPECT_FALSE(equal(within, outside(24)));
}

TEST(IdentityOfPowers, ARootOfARootIsOne) {
  const auto nested = [](Terms& t, TensorRef x, TensorRef) {
    return t.map("sqrt", t.map("sqrt", t.positive(x)));
  };
  const auto power = [](double of) {
    return [of](Terms& t, TensorRef x, TensorRef) {
      return t.call("pow.Tensor_Scalar", {t.positive(x), of});
    };
  };
  EXPECT_TRUE(equal(nested, power(0.25)));
  EXPECT_FALSE(equal(nested, power(0.5)));
}

// |s x| = s |x| for s > 0 alone.
TEST(IdentityOfPowers, APositiveFactorComesOutOfANormAndOfAMaximum) {
  const auto scale = [](Terms& t, bool positive, TensorRef y) {
    return positive ? t.map("exp", y) : y;
  };
  for (const bool positive : {true, false}) {
    const auto norm_of_scaled = [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef scaled = t.mul(x, scale(t, positive, y));
      return t.map("sqrt", t.mul(scaled, scaled));
    };
    const auto scaled_norm = [=](Terms& t, TensorRef x, TensorRef y) {
      return t.mul(t.map("sqrt", t.mul(x, x)), scale(t, positive, y));
    };
    EXPECT_EQ(bool(equal(norm_of_scaled, scaled_norm)), positive);
    const auto relu_of_scaled = [=](Terms& t, TensorRef x, TensorRef y) {
      return t.map("relu", t.mul(x, scale(t, positive, y)));
    };
    const auto scaled_relu = [=](Terms& t, TensorRef x, TensorRef y) {
      return t.mul(t.map("relu", x), scale(t, positive, y));
    };
    EXPECT_EQ(bool(equal(relu_of_scaled, scaled_relu)), positive);
  }
}

Body product_of_logs(bool of_quotient) {
  return [of_quotient](Terms& t, TensorRef x, TensorRef y) {
    x = t.positive(x), y = t.positive(y);
    const TensorRef second = of_quotient ? t.div(x, y) : t.mul(x, y);
    return t.mul(t.map("log", t.mul(x, y)), t.map("log", second));
  };
}

TEST(IdentityOfPowers, LogarithmsThatAreFactorsAreThoseOfTheirFactors) {
  const auto squares = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef a = t.map("log", t.positive(x)), b = t.map("log", t.positive(y));
    return t.sub(t.mul(a, a), t.mul(b, b));
  };
  EXPECT_TRUE(equal(squares, product_of_logs(true)));
  EXPECT_FALSE(equal(squares, product_of_logs(false)));
}

TEST(IdentityOfPowers, AProductOfLogarithmsMayBeNegative) {
  const auto product = [](Terms& t, TensorRef x, TensorRef y) {
    return t.mul(t.map("log", t.positive(x)), t.map("log", t.positive(y)));
  };
  const auto above = [product](Terms& t, TensorRef x, TensorRef y) {
    return t.map("relu", product(t, x, y));
  };
  EXPECT_FALSE(equal(product, above));
  const auto square = [](Terms& t, TensorRef x, TensorRef) {
    const TensorRef log = t.map("log", t.positive(x));
    return t.mul(log, log);
  };
  EXPECT_TRUE(equal(square, [square](Terms& t, TensorRef x, TensorRef y) {
    return t.map("relu", square(t, x, y));
  }));
}

// y log softmax(x) by its definition and with the greatest element taken out.
TEST(IdentityOfPowers, ASumOfExponentialsIsAMultipleOfTheShiftedOne) {
  const auto shifted = [](double shift) {
    return [shift](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef e = t.add(t.map("exp", t.add(x, shift)), t.map("exp", t.add(y, shift)));
      return t.mul(t.add(t.map("log", e), -2.0), y);
    };
  };
  EXPECT_TRUE(equal(shifted(2), [](Terms& t, TensorRef x, TensorRef y) {
    return t.mul(t.map("log", t.add(t.map("exp", x), t.map("exp", y))), y);
  }));
  EXPECT_FALSE(equal(shifted(1), [](Terms& t, TensorRef x, TensorRef y) {
    return t.mul(t.map("log", t.add(t.map("exp", x), t.map("exp", y))), y);
  }));
}

TEST(IdentityOfPowers, APowerOfASumOfExponentsIsAProductWhereTheBaseIsPositive) {
  for (const bool positive : {true, false}) {
    const auto base = [positive](Terms& t, TensorRef x) { return positive ? t.positive(x) : x; };
    const auto whole = [=](Terms& t, TensorRef x, TensorRef y) {
      return t.call("pow.Tensor_Tensor", {base(t, x), t.add(x, y)});
    };
    const auto parts = [=](Terms& t, TensorRef x, TensorRef y) {
      return t.mul(t.call("pow.Tensor_Tensor", {base(t, x), x}),
                   t.call("pow.Tensor_Tensor", {base(t, x), y}));
    };
    EXPECT_EQ(bool(equal(whole, parts)), positive);
  }
}

Body sine_by_addition(bool added) {
  return [added](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef first = t.mul(t.map("sin", x), t.map("cos", y));
    const TensorRef second = t.mul(t.map("cos", x), t.map("sin", y));
    return added ? t.add(first, second) : t.sub(first, second);
  };
}

TEST(IdentityOfPowers, SinesOfSumsAreByTheAdditionTheorem) {
  const auto of_sum = [](Terms& t, TensorRef x, TensorRef y) { return t.map("sin", t.add(x, y)); };
  EXPECT_TRUE(equal(of_sum, sine_by_addition(true)));
  EXPECT_FALSE(equal(of_sum, sine_by_addition(false)));
  const auto doubled = [](double by) {
    return [by](Terms& t, TensorRef x, TensorRef) {
      return t.mul(t.mul(t.map("sin", x), t.map("cos", x)), by);
    };
  };
  const auto of_double = [](Terms& t, TensorRef x, TensorRef) { return t.map("sin", t.mul(x, 2)); };
  EXPECT_TRUE(equal(of_double, doubled(2)));
  EXPECT_FALSE(equal(of_double, doubled(1)));
}

TEST(IdentityOfPowers, FunctionsAreTheirDefinitions) {
  const auto tan = [](Terms& t, TensorRef x, TensorRef) { return t.map("tan", x); };
  EXPECT_TRUE(equal(tan, [](Terms& t, TensorRef x, TensorRef) {
    return t.div(t.map("sin", x), t.map("cos", x));
  }));
  EXPECT_FALSE(equal(tan, [](Terms& t, TensorRef x, TensorRef) {
    return t.div(t.map("cos", x), t.map("sin", x));
  }));
  const auto asinh = [](Terms& t, TensorRef x, TensorRef) { return t.map("asinh", x); };
  const auto by_log = [](double one) {
    return [one](Terms& t, TensorRef x, TensorRef) {
      return t.map("log", t.add(x, t.map("sqrt", t.add(t.mul(x, x), one))));
    };
  };
  EXPECT_TRUE(equal(asinh, by_log(1)));
  EXPECT_FALSE(equal(asinh, by_log(2)));
}

TEST(IdentityOfPowers, ExponentialsAreInTheOrderOfTheirArguments) {
  const auto outside = [](Terms& t, TensorRef x, TensorRef y) {
    return t.map("exp", t.call("maximum.default", {x, y}));
  };
  const auto inside = [](const char* extremum) {
    return [extremum](Terms& t, TensorRef x, TensorRef y) {
      return t.call(extremum, {t.map("exp", x), t.map("exp", y)});
    };
  };
  EXPECT_TRUE(equal(outside, inside("maximum.default")));
  EXPECT_FALSE(equal(outside, inside("minimum.default")));
}

// Of a number that is computed, as a tie of which no input is one.
TEST(IdentityOfPowers, ExtremaAgreeWithComparisonsAtTies) {
  const auto relu = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef sum = t.add(x, y);
    return t.add(t.map("abs", x), t.map("relu", t.mul(sum, sum)));
  };
  const auto chosen = [](const char* comparison) {
    return [comparison](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef sum = t.add(x, y), zero = t.mul(x, 0.0);
      const TensorRef above = t.call(comparison, {t.mul(sum, sum), 0.0}, DType::kBool);
      return t.add(t.map("abs", x), t.call("where.self", {above, t.mul(sum, sum), zero}));
    };
  };
  EXPECT_TRUE(equal(relu, chosen("gt.Scalar")));
  const auto flag = [](const char* comparison) {
    return [comparison](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef above = t.call(comparison, {t.add(x, y), 0.0}, DType::kBool);
      return t.add(t.map("abs", x), t.call("where.self", {above, x, y}));
    };
  };
  EXPECT_FALSE(equal(flag("gt.Scalar"), flag("ge.Scalar")));
}

// x min(1 / n, 1) = x / max(n, 1), as gradients are clipped: n is not negative, and may be 0.
TEST(IdentityOfPowers, OneByTheGreaterIsTheLesserOfOneByEach) {
  const auto norm = [](Terms& t, TensorRef x) { return t.map("sqrt", t.mul(x, x)); };
  const auto by_factor = [&](Terms& t, TensorRef x, TensorRef) {
    return t.mul(x, t.call("clamp_max.default", {t.map("reciprocal", norm(t, x)), 1.0}));
  };
  const auto by_quotient = [&](const char* op, double limit) {
    return [&, op, limit](Terms& t, TensorRef x, TensorRef) {
      return t.div(x, t.call(op, {norm(t, x), limit}));
    };
  };
  EXPECT_TRUE(equal(by_factor, by_quotient("clamp_min.default", 1)));
  EXPECT_FALSE(equal(by_factor, by_quotient("clamp_min.default", 2)));
  EXPECT_FALSE(equal(by_factor, by_quotient("clamp_max.default", 1)));
}

// log(1 + exp -x) and log(1 + exp x), of which one is the other and x, in an exponent.
TEST(IdentityOfPowers, WhatCancelsBetweenLogarithmsDoesSoInAnExponent) {
  const auto weighted = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef met = t.mul(y, t.map("log_sigmoid", x)), rest = t.add(t.mul(y, -1), 1);
    const TensorRef unmet = t.mul(rest, t.map("log_sigmoid", t.mul(x, -1)));
    return t.map("exp", t.mul(t.add(met, unmet), 0.5));
  };
  const auto of_logits = [](double sign) {
    return [sign](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef rest = t.mul(t.add(t.mul(y, -1), 1), sign);
      return t.map("exp", t.mul(t.add(t.map("log_sigmoid", x), t.mul(rest, x)), 0.5));
    };
  };
  EXPECT_TRUE(equal(weighted, of_logits(-1)));
  EXPECT_FALSE(equal(weighted, of_logits(1)));
}

// max(x + 1, y) + log(1 + exp -|x + 1 - y|): cases at ties of what is compared with two constants.
TEST(IdentityOfPowers, CasesKnowAllConstantsThatAreCompared) {
  const auto by_maximum = [](double offset) {
    return [offset](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef z = t.add(x, offset);
      const TensorRef apart = t.map("abs", t.sub(z, y));
      const TensorRef rest = t.map("log1p", t.map("exp", t.mul(apart, -1)));
      return t.add(t.call("maximum.default", {z, y}), rest);
    };
  };
  const auto log_of_sum = [](Terms& t, TensorRef x, TensorRef y) {
    return t.call("logaddexp.default", {t.add(x, 1), y});
  };
  EXPECT_TRUE(equal(log_of_sum, by_maximum(1)));
  EXPECT_FALSE(equal(log_of_sum, by_maximum(2)));
}

// max |x|, |y| as the greatest of both and of their negatives.
TEST(IdentityOfPowers, TheGreatestMagnitudeIsTheGreatestOfBothSigns) {
  const auto of_magnitudes = [](Terms& t, TensorRef x, TensorRef y) {
    return t.call("maximum.default", {t.map("abs", x), t.map("abs", y)});
  };
  const auto of_extrema = [](const char* least) {
    return [least](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef low = t.call(least, {x, y});
      return t.call("maximum.default", {t.call("maximum.default", {x, y}), t.mul(low, -1)});
    };
  };
  EXPECT_TRUE(equal(of_magnitudes, of_extrema("minimum.default")));
  EXPECT_FALSE(equal(of_magnitudes, of_extrema("maximum.default")));
}

}  // namespace
}  // namespace assay::test
