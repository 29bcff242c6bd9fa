// Proof by evaluation of functions by their definitions, of numbers whose sign is not known.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

// Both have a root where either has.
TEST(IdentityOfFunctions, ARootOfAMultipleIsAMultipleOfTheRoot) {
  const auto inside = [](Terms& t, TensorRef x, TensorRef y) {
    return t.map("sqrt", t.div(t.sub(x, y), 4.0));
  };
  const auto outside = [](double by) {
    return
        [by](Terms& t, TensorRef x, TensorRef y) { return t.div(t.map("sqrt", t.sub(x, y)), by); };
  };
  EXPECT_TRUE(equal(inside, outside(2)));
  EXPECT_TRUE(equal(outside(2), inside));
  EXPECT_FALSE(equal(inside, outside(4)));
  EXPECT_FALSE(equal(inside, outside(-2)));
}

// Where they have values, which the report says.
TEST(IdentityOfFunctions, LogarithmsOfAnyNumbersAddUp) {
  const auto together = [](Terms& t, TensorRef x, TensorRef y) {
    return t.map("log", t.mul(x, y));
  };
  const auto apart = [](Terms& t, TensorRef x, TensorRef y) {
    return t.add(t.map("log", x), t.map("log", y));
  };
  EXPECT_FALSE(equal(together, [](Terms& t, TensorRef x, TensorRef y) {
    return t.sub(t.map("log", x), t.map("log", y));
  }));
  const auto proof_of = [](const auto& sequential, const auto& rank) {
    return static_check(formulas(formula(sequential), formula(rank)), OperatorTable::builtin())
        .report;
  };
  const StaticReport proof = proof_of(apart, together);
  EXPECT_EQ(proof.verdict, Verdict::kProved);
  EXPECT_NE(testing::PrintToString(proof.assumptions).find("domains"), std::string::npos);
  // log(-1 * -1) is 0.
  EXPECT_EQ(proof_of(together, apart).verdict, Verdict::kUnproved);
}

// That a logarithm is taken says nothing of the number elsewhere: under a mask it may be none.
TEST(IdentityOfFunctions, ALogarithmUnderAMaskSaysNothingOfSigns) {
  const auto masked = [](const char* size) {
    return [size](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef above = t.call("gt.Scalar", {x, 0.0}, DType::kBool);
      const TensorRef log = t.map("exp", t.map("log", x));
      const TensorRef beside = *size == 'a' ? t.map("abs", x) : t.mul(x, 1.0);
      return t.add(t.call("where.self", {above, log, y}), beside);
    };
  };
  EXPECT_FALSE(equal(masked("abs"), masked("itself")));
  EXPECT_FALSE(equal(masked("itself"), masked("abs")));
}

TEST(IdentityOfFunctions, SoftplusIsTheLogarithmOfOneMore) {
  const auto softplus = [](double threshold) {
    return [=](Terms& t, TensorRef x, TensorRef) {
      return t.call("softplus.default", {x, 1.0, threshold});
    };
  };
  const auto stable = [](double sign) {
    return [=](Terms& t, TensorRef x, TensorRef) {
      const TensorRef size = t.mul(t.map("abs", x), -1.0);
      return t.add(t.map("relu", t.mul(x, sign)), t.map("log1p", t.map("exp", size)));
    };
  };
  EXPECT_TRUE(equal(softplus(20), stable(1)));
  EXPECT_FALSE(equal(softplus(20), stable(-1)));
  EXPECT_FALSE(equal(softplus(2), stable(1)));
}

TEST(IdentityOfFunctions, ComparisonsOfPositiveMultiplesAreOne) {
  const auto chosen = [](double by, const char* comparison) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef flag = t.call(comparison, {t.mul(x, by), t.mul(y, by)}, DType::kBool);
      return t.call("where.self", {flag, t.map("exp", x), y});
    };
  };
  EXPECT_TRUE(equal(chosen(1, "gt.Tensor"), chosen(0.5, "gt.Tensor")));
  EXPECT_FALSE(equal(chosen(1, "gt.Tensor"), chosen(-0.5, "gt.Tensor")));
  EXPECT_FALSE(equal(chosen(1, "gt.Tensor"), chosen(0.5, "ge.Tensor")));
}

// As gradients are clipped: by min(1, 1 / norm), or divided by max(norm, 1).
TEST(IdentityOfFunctions, OneByTheGreatestOfPositiveNumbersIsTheLeast) {
  const auto least = [](bool positive) {
    return [positive](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef size = positive ? t.positive(x) : x;
      return t.mul(y, t.call("clamp_max.default", {t.map("reciprocal", size), 1.0}));
    };
  };
  const auto greatest = [](bool positive, double limit) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef size = positive ? t.positive(x) : x;
      return t.div(y, t.call("clamp_min.default", {size, limit}));
    };
  };
  EXPECT_TRUE(equal(least(true), greatest(true, 1)));
  EXPECT_FALSE(equal(least(true), greatest(true, 2)));
  EXPECT_FALSE(equal(least(false), greatest(false, 1)));
}

TEST(IdentityOfFunctions, SafeSoftmaxOfNumbersIsSoftmax) {
  const auto safe = [](Terms& t, TensorRef x, TensorRef) {
    return t.call("_safe_softmax.default", {x, -1});
  };
  const auto softmax = [](int dim) {
    return [dim](Terms& t, TensorRef x, TensorRef) {
      return t.call("_softmax.default", {x, dim, false});
    };
  };
  EXPECT_TRUE(equal(safe, softmax(-1)));
  EXPECT_FALSE(equal(safe, softmax(0)));
}

// Gradients of pieces that meet, by limits and conditions.
TEST(IdentityOfFunctions, GradientsOfHuberLossesAreLimits) {
  const auto backward = [](const char* op, double bend) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef one = t.call("ones_like.default", {x});
      return t.call(op, {one, x, y, 0, bend});
    };
  };
  const auto limited = [](double bend, double by) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      return t.mul(t.call("clamp.default", {t.sub(x, y), -bend, bend}), by);
    };
  };
  EXPECT_TRUE(equal(backward("huber_loss_backward.default", 0.5), limited(0.5, 1)));
  EXPECT_FALSE(equal(backward("huber_loss_backward.default", 0.5), limited(0.5, 2)));
  EXPECT_TRUE(equal(backward("smooth_l1_loss_backward.default", 0.5), limited(0.5, 2)));
  EXPECT_FALSE(equal(backward("smooth_l1_loss_backward.default", 0.5), limited(0.25, 2)));
}

TEST(IdentityOfFunctions, TheGradientOfHardswishHasThreePieces) {
  const auto backward = [](Terms& t, TensorRef x, TensorRef y) {
    return t.call("hardswish_backward.default", {y, x});
  };
  const auto pieces = [](const char* above) {
    return [above](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef low = t.call("le.Scalar", {x, -3.0}, DType::kBool);
      const TensorRef high = t.call(above, {x, 3.0}, DType::kBool);
      const TensorRef rising = t.mul(t.div(t.add(t.mul(x, 2.0), 3.0), 6.0), y);
      return t.call("masked_fill.Scalar", {t.call("where.self", {high, y, rising}), low, 0.0});
    };
  };
  EXPECT_TRUE(equal(backward, pieces("ge.Scalar")));
  EXPECT_FALSE(equal(backward, pieces("gt.Scalar")));
}

// The buffer of the forward pass says nothing new; one of another tensor would.
TEST(IdentityOfFunctions, TheGradientOfALogarithmOfSigmoidIsASigmoid) {
  const auto backward = [](bool of_other) {
    return [of_other](GraphBuilder& graph, TensorRef x, TensorRef y) {
      const auto forward = graph.call_many("forward", "aten.log_sigmoid_forward.default",
                                           {of_other ? y : x}, {{{4, 6}}, {{4, 6}}});
      const TensorRef each =
          graph.call("each", "aten.log_sigmoid_backward.default", {y, x, forward[1]}, {4, 6});
      return graph.call("all", "aten.sum.default", {each}, Shape{});
    };
  };
  const auto sigmoid = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const TensorRef negative = graph.call("negative", "aten.neg.default", {x}, {4, 6});
    const TensorRef slope = graph.call("slope", "aten.sigmoid.default", {negative}, {4, 6});
    const TensorRef each = graph.call("each", "aten.mul.Tensor", {y, slope}, {4, 6});
    return graph.call("all", "aten.sum.default", {each}, Shape{});
  };
  EXPECT_TRUE(proves(formulas(backward(false), sigmoid)));
  EXPECT_FALSE(proves(formulas(backward(true), sigmoid)));
}

}  // namespace
}  // namespace assay::test
