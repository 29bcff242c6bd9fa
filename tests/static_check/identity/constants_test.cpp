// Proof by evaluation where constants stand for numbers that no double is: what a program computed
// of them in double precision is read as what it is of, and another constant is another number.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

// Attention scales both factors of a product by the root of its scale.
TEST(IdentityOfConstants, FourthRootsOnBothSidesOfAProductAreARoot) {
  const auto both = [](double factor) {
    return [factor](Terms& t, TensorRef x, TensorRef y) {
      return t.mul(t.mul(x, factor), t.mul(y, factor));
    };
  };
  for (const double size : {2.0, 3.0, 8.0, 32.0}) {
    const auto once = [size](Terms& t, TensorRef x, TensorRef y) {
      return t.div(t.mul(x, y), std::sqrt(size));
    };
    EXPECT_TRUE(equal(once, both(std::sqrt(1 / std::sqrt(size))))) << size;
    EXPECT_FALSE(equal(once, both(std::sqrt(1 / size)))) << size;
    EXPECT_FALSE(equal(once, both(std::sqrt(1 / std::sqrt(size)) + 1e-6))) << size;
  }
}

TEST(IdentityOfConstants, WhatSubtractingFromOneLeavesIsTheDecimal) {
  const auto mean = [](double kept, double added) {
    return
        [=](Terms& t, TensorRef x, TensorRef y) { return t.add(t.mul(x, kept), t.mul(y, added)); };
  };
  const auto step = [](double added) {
    return [=](Terms& t, TensorRef x, TensorRef y) { return t.add(x, t.mul(t.sub(y, x), added)); };
  };
  EXPECT_TRUE(equal(mean(0.999, 0.001), step(1 - 0.999)));
  EXPECT_TRUE(equal(mean(0.9, 1 - 0.9), step(0.1)));
  EXPECT_FALSE(equal(mean(0.999, 0.001), step(0.001001)));
  EXPECT_FALSE(equal(mean(0.999, 0.001), step(0.001 + 1e-9)));
}

// The corrections of Adam: m / c1 / (sqrt(v / c2) + eps).
TEST(IdentityOfConstants, RootsOfQuotientsOfDecimalsAreThose) {
  const double correction = 1 - std::pow(0.99, 3);
  const auto inside = [=](Terms& t, TensorRef x, TensorRef y) {
    return t.div(x, t.add(t.map("sqrt", t.div(t.positive(y), correction)), 1e-8));
  };
  const auto outside = [](double by) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      return t.div(x, t.add(t.div(t.map("sqrt", t.positive(y)), by), 1e-8));
    };
  };
  EXPECT_TRUE(equal(inside, outside(std::sqrt(correction))));
  EXPECT_FALSE(equal(inside, outside(correction)));
  EXPECT_FALSE(equal(inside, outside(std::sqrt(1 - std::pow(0.99, 4)))));
}

// What the host computed of other constants: PyTorch's Adam has the roots apart, and quotients of
// rates and corrections; decays are powers.
TEST(IdentityOfConstants, HostsComputeConstantsOfOthers) {
  for (const int step : {2, 7, 10, 100}) {
    const double first = 1 - std::pow(0.9, step), second = 1 - std::pow(0.999, step), rate = 0.003;
    const auto formula = [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef root = t.map("sqrt", t.div(t.positive(y), second));
      return t.mul(t.div(t.div(x, first), t.add(root, 1e-8)), rate);
    };
    const auto of_pytorch = [=](double scale, double correction) {
      return [=](Terms& t, TensorRef x, TensorRef y) {
        const TensorRef root = t.div(t.map("sqrt", t.positive(y)), correction);
        return t.div(t.mul(x, scale), t.add(root, 1e-8));
      };
    };
    EXPECT_TRUE(equal(formula, of_pytorch(rate / first, std::sqrt(second)))) << step;
    EXPECT_FALSE(equal(formula, of_pytorch(rate / second, std::sqrt(second)))) << step;
    const double other = 1 - std::pow(0.999, step + 1);
    EXPECT_FALSE(equal(formula, of_pytorch(rate / first, std::sqrt(other)))) << step;
    EXPECT_FALSE(equal(formula, of_pytorch(rate / first * (1 + 1e-12), std::sqrt(second)))) << step;
  }
  const auto decayed = [](double by) {
    return [by](Terms& t, TensorRef x, TensorRef y) { return t.add(t.mul(x, by), y); };
  };
  const auto step_by_step = [](int steps) {
    return [steps](Terms& t, TensorRef x, TensorRef y) {
      for (int i = 0; i < steps; ++i) x = t.mul(x, 0.9405);
      return t.add(x, y);
    };
  };
  for (const int steps : {2, 3, 4, 7}) {
    EXPECT_TRUE(equal(step_by_step(steps), decayed(std::pow(0.9405, steps)))) << steps;
    EXPECT_FALSE(equal(step_by_step(steps), decayed(std::pow(0.9405, steps + 1)))) << steps;
  }
}

TEST(IdentityOfConstants, LogarithmsOfIntegersAndOfTwoPi) {
  const auto density = [](double constant) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      return t.sub(t.mul(t.mul(x, x), -0.5), t.add(t.mul(y, 0.0), constant));
    };
  };
  const auto log_of_density = [](double scale) {
    return [=](Terms& t, TensorRef x, TensorRef) {
      return t.map("log", t.mul(t.map("exp", t.mul(t.mul(x, x), -0.5)), scale));
    };
  };
  const double pi = std::numbers::pi;
  EXPECT_TRUE(equal(density(std::log(2 * pi) / 2), log_of_density(1 / std::sqrt(2 * pi))));
  EXPECT_FALSE(equal(density(std::log(2 * pi)), log_of_density(1 / std::sqrt(2 * pi))));
  EXPECT_TRUE(equal(density(std::log(12)), log_of_density(1.0 / 12)));
  EXPECT_FALSE(equal(density(std::log(12)), log_of_density(1.0 / 13)));
  EXPECT_FALSE(equal(density(2.4849), log_of_density(1.0 / 12)));
  EXPECT_TRUE(equal(density(std::log(pi)), log_of_density(1 / pi)));
  EXPECT_TRUE(equal(density(std::log(pi) / 2), log_of_density(1 / std::sqrt(pi))));
  EXPECT_FALSE(equal(density(std::log(pi)), log_of_density(1 / (2 * pi))));
}

TEST(IdentityOfConstants, ALimitBeyondFloat32IsNone) {
  const auto limited = [](double limit) {
    return [=](Terms& t, TensorRef x, TensorRef) { return t.call("clamp.default", {x, limit}); };
  };
  const auto itself = [](Terms& t, TensorRef x, TensorRef) { return t.mul(x, 1.0); };
  EXPECT_TRUE(equal(itself, limited(-3.4028234663852886e38)));
  EXPECT_FALSE(equal(itself, limited(-65504)));
  EXPECT_FALSE(equal(itself, limited(3.4028234663852886e38)));
}

/// x times what `op` leaves of 0, 1, ... 5 and a number.
Formula times_whole(const char* op, double by) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const TensorRef places = graph.call("places", "aten.arange.default", {6}, {6});
    const TensorRef whole = graph.call("whole", op, {places, by}, {6});
    return graph.call("times", "aten.mul.Tensor", {x, whole}, {4, 6});
  };
}

/// x times a constant row.
Formula times_row(std::vector<double> row) {
  return [row](GraphBuilder& graph, TensorRef x, TensorRef) {
    const std::vector<Argument> numbers(row.begin(), row.end());
    const TensorRef constant = graph.call("constant", "assay.constant", {Argument(numbers)}, {6});
    return graph.call("times", "aten.mul.Tensor", {x, constant}, {4, 6});
  };
}

TEST(IdentityOfConstants, IntegerQuotientsOfThemAreComputed) {
  const auto quotient = times_whole("aten.floor_divide.default", 4);
  EXPECT_TRUE(proves(formulas(quotient, times_row({0, 0, 0, 0, 1, 1}))));
  EXPECT_FALSE(proves(formulas(quotient, times_row({0, 0, 0, 1, 1, 1}))));
  const auto rest = times_whole("aten.remainder.Scalar", 4);
  EXPECT_TRUE(proves(formulas(rest, times_row({0, 1, 2, 3, 0, 1}))));
  EXPECT_FALSE(proves(formulas(rest, times_row({0, 1, 2, 3, 4, 1}))));
}

// More than a table of runs has.
TEST(IdentityOfConstants, LongTablesAreTheirNumbers) {
  constexpr int64_t kCount = 80;
  const auto table = [](int64_t i) { return static_cast<double>((i * i * 7 + 3 * i) % 23) - 11; };
  const auto times = [&](bool turned, double more) {
    return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
      std::vector<Argument> numbers;
      for (int64_t i = 0; i < kCount; ++i)
        numbers.push_back(table(turned ? kCount - 1 - i : i) + (i == 3 ? more : 0));
      TensorRef row = graph.call("row", "assay.constant", {Argument(numbers)}, {kCount});
      if (turned)
        row = graph.call("flip", "aten.flip.default", {row, std::vector<Argument>{0}}, {kCount});
      return graph.call("times", "aten.mul.Tensor", {x, row}, {kCount});
    };
  };
  const auto pair = [&](double more) {
    return formulas(times(false, 0), times(true, more), {"x", {kCount}}, {"y", {kCount}});
  };
  EXPECT_TRUE(proves(pair(0)));
  EXPECT_FALSE(proves(pair(1)));
}

}  // namespace
}  // namespace assay::test
