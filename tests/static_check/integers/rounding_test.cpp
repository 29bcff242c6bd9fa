// Functions that round floating numbers to integers are written for each other; what rounds another
// way is not.
#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

Body mapped(const char* name) {
  return [name](Terms& t, TensorRef x, TensorRef) { return t.map(name, x); };
}
Body negated(const char* name, double inside = -1, double outside = -1) {
  return [=](Terms& t, TensorRef x, TensorRef) {
    return t.mul(t.map(name, t.mul(x, inside)), outside);
  };
}
/// With something added before, and after.
Body shifted(const char* name, double before, double after) {
  return
      [=](Terms& t, TensorRef x, TensorRef) { return t.add(t.map(name, t.add(x, before)), after); };
}
TensorRef rounded_quotient(Terms& t, TensorRef x, const Argument& y, const char* mode) {
  return t.call("div.Tensor_mode", {x, y, mode});
}

TEST(Rounding, ACeilingIsTheNegativeFloorOfTheNegative) {
  EXPECT_TRUE(equal(mapped("ceil"), negated("floor")));
  EXPECT_TRUE(equal(mapped("floor"), negated("ceil")));
  EXPECT_FALSE(equal(mapped("ceil"), negated("floor", -1, 1)));
  EXPECT_FALSE(equal(mapped("ceil"), negated("floor", 1, 1)));
  EXPECT_FALSE(equal(mapped("ceil"), shifted("floor", 1, 0)));
}

TEST(Rounding, SomeFunctionsAreOdd) {
  EXPECT_TRUE(equal(mapped("round"), negated("round")));
  EXPECT_TRUE(equal(mapped("trunc"), negated("trunc")));
  EXPECT_FALSE(equal(mapped("floor"), negated("floor")));
  EXPECT_FALSE(equal(mapped("round"), negated("round", -1, 1)));
  const auto difference = [](bool turned) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef rounded = t.map("round", turned ? t.sub(y, x) : t.sub(x, y));
      return turned ? t.mul(rounded, -1.0) : rounded;
    };
  };
  EXPECT_TRUE(equal(difference(true), difference(false)));
}

TEST(Rounding, IntegersAreAddedBeforeOrAfter) {
  EXPECT_TRUE(equal(shifted("floor", 3, 0), shifted("floor", 0, 3)));
  EXPECT_TRUE(equal(shifted("floor", 2.5, 0), shifted("floor", 0.5, 2)));
  EXPECT_TRUE(equal(shifted("ceil", -2, 0), shifted("ceil", 0, -2)));
  EXPECT_TRUE(equal(shifted("round", 2, 0), shifted("round", 0, 2)));
  EXPECT_TRUE(equal(shifted("round", 3, 0), shifted("round", 1, 2)));
  EXPECT_FALSE(equal(shifted("floor", 0.5, 0), shifted("floor", 0, 0.5)));
  EXPECT_FALSE(equal(shifted("floor", 3, 0), shifted("floor", 0, 2)));
  // Ties go to the even number; a fraction is cut off towards zero.
  EXPECT_FALSE(equal(shifted("round", 1, 0), shifted("round", 0, 1)));
  EXPECT_FALSE(equal(shifted("trunc", 1, 0), shifted("trunc", 0, 1)));
  const auto with_integers = [](const char* fn, bool inside, double by) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef whole = t.mul(t.map("floor", y), by);
      return inside ? t.map(fn, t.add(x, whole)) : t.add(t.map(fn, x), whole);
    };
  };
  EXPECT_TRUE(equal(with_integers("floor", true, 1), with_integers("floor", false, 1)));
  EXPECT_TRUE(equal(with_integers("round", true, 2), with_integers("round", false, 2)));
  EXPECT_FALSE(equal(with_integers("round", true, 1), with_integers("round", false, 1)));
  EXPECT_FALSE(equal(with_integers("floor", true, 0.5), with_integers("floor", false, 0.5)));
}

TEST(Rounding, WhatIsRoundedStaysAsItIs) {
  const auto twice = [](const char* first, const char* second) {
    return [=](Terms& t, TensorRef x, TensorRef) { return t.map(second, t.map(first, x)); };
  };
  for (const char* second : {"floor", "ceil", "round", "trunc"}) {
    EXPECT_TRUE(equal(twice("ceil", second), mapped("ceil")));
    EXPECT_FALSE(equal(twice("ceil", second), mapped("floor")));
  }
}

TEST(Rounding, RemaindersAreWhatQuotientsLeave) {
  const auto remainder = [](const char* op, double by) {
    return [=](Terms& t, TensorRef x, TensorRef) { return t.call(op, {x, by}); };
  };
  const auto left = [](const char* fn, double by) {
    return [=](Terms& t, TensorRef x, TensorRef) {
      return t.sub(x, t.mul(t.map(fn, t.div(x, by)), by));
    };
  };
  for (const double by : {2.0, 3.0, -0.5}) {
    EXPECT_TRUE(equal(remainder("remainder.Scalar", by), left("floor", by)));
    EXPECT_TRUE(equal(remainder("fmod.Scalar", by), left("trunc", by)));
    EXPECT_FALSE(equal(remainder("remainder.Scalar", by), left("trunc", by)));
    EXPECT_FALSE(equal(remainder("fmod.Scalar", by), left("floor", by)));
  }
  EXPECT_TRUE(equal(remainder("fmod.Scalar", 1), mapped("frac")));
  EXPECT_FALSE(equal(remainder("remainder.Scalar", 1), mapped("frac")));
  EXPECT_FALSE(equal(remainder("remainder.Scalar", 2), left("floor", 3)));
}

TEST(Rounding, RemaindersByTensorsToo) {
  const auto remainder = [](const char* op) {
    return [=](Terms& t, TensorRef x, TensorRef y) { return t.call(op, {x, y}); };
  };
  const auto left = [](const char* fn) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      return t.sub(x, t.mul(t.map(fn, t.div(x, y)), y));
    };
  };
  EXPECT_TRUE(equal(remainder("remainder.Tensor"), left("floor")));
  EXPECT_TRUE(equal(remainder("fmod.Tensor"), left("trunc")));
  EXPECT_FALSE(equal(remainder("remainder.Tensor"), left("trunc")));
  EXPECT_FALSE(equal(remainder("remainder.Tensor"), left("ceil")));
}

TEST(Rounding, ARoundedQuotientIsThatOfTheQuotient) {
  const auto quotient = [](const char* mode, double by) {
    return [=](Terms& t, TensorRef x, TensorRef) { return rounded_quotient(t, x, by, mode); };
  };
  const auto product = [](const char* fn, double by) {
    return [=](Terms& t, TensorRef x, TensorRef) { return t.map(fn, t.mul(x, by)); };
  };
  EXPECT_TRUE(equal(quotient("floor", 0.5), product("floor", 2)));
  EXPECT_TRUE(equal(quotient("trunc", 0.25), product("trunc", 4)));
  EXPECT_FALSE(equal(quotient("floor", 0.5), product("floor", 0.5)));
  EXPECT_FALSE(equal(quotient("floor", 0.5), product("trunc", 2)));
  const auto by_tensor = [](const char* mode) {
    return [=](Terms& t, TensorRef x, TensorRef y) { return rounded_quotient(t, x, y, mode); };
  };
  const auto of_quotient = [](const char* fn) {
    return [=](Terms& t, TensorRef x, TensorRef y) { return t.map(fn, t.div(x, y)); };
  };
  EXPECT_TRUE(equal(by_tensor("floor"), of_quotient("floor")));
  EXPECT_TRUE(equal(by_tensor("trunc"), of_quotient("trunc")));
  EXPECT_FALSE(equal(by_tensor("trunc"), of_quotient("floor")));
}

TEST(Rounding, TowardsZeroIsTheFloorOfTheSize) {
  const auto signed_floor = [](const char* fn) {
    return [=](Terms& t, TensorRef x, TensorRef) {
      return t.mul(t.map("sign", x), t.map(fn, t.map("abs", x)));
    };
  };
  EXPECT_TRUE(equal(mapped("trunc"), signed_floor("floor")));
  EXPECT_FALSE(equal(mapped("trunc"), signed_floor("ceil")));
  EXPECT_FALSE(equal(mapped("floor"), signed_floor("floor")));
}

TEST(Rounding, ConversionsCutTheFractionOff) {
  const auto converted = [](const char* first, DType to) {
    return [=](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef rounded = *first == '\0' ? x : t.map(first, x);
      const TensorRef integer = t.call("_to_copy.default", {rounded, to}, to);
      return t.mul(t.call("_to_copy.default", {integer, DType::kFloat32}), y);
    };
  };
  const auto cut = [](Terms& t, TensorRef x, TensorRef y) { return t.mul(t.map("trunc", x), y); };
  for (const DType to : {DType::kInt8, DType::kInt32, DType::kInt64}) {
    EXPECT_TRUE(equal(converted("", to), converted("trunc", to)));
    EXPECT_FALSE(equal(converted("", to), converted("floor", to)));
    EXPECT_FALSE(equal(converted("", to), converted("round", to)));
  }
  EXPECT_TRUE(equal(converted("", DType::kInt64), cut));
  EXPECT_FALSE(equal(converted("", DType::kInt8), cut));  // which does not hold them all
}

}  // namespace
}  // namespace assay::test
