// Proof by evaluation of extrema of exponentials and roots beside constants.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

/// Not negative, for roots.
TensorRef operand(Terms& t, const std::string& function, TensorRef x, TensorRef y) {
  return function == "sqrt" ? t.add(t.mul(x, x), t.mul(y, y)) : t.mul(x, y);
}

/// f(x limited) for a limit on one side.
Body of_limited(const char* function, const char* limit, double at) {
  return [=](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef of = operand(t, function, x, y);
    return t.map(function, t.call(limit, {of, at}));
  };
}

/// f(x), limited.
Body limited(const char* function, const char* limit, double at) {
  return [=](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef of = operand(t, function, x, y);
    return t.call(limit, {t.map(function, of), at});
  };
}

constexpr char kAtLeast[] = "clamp_min.default", kAtMost[] = "clamp_max.default";

TEST(MonotoneExtrema, AnExponentialOfALimitedNumberIsLimited) {
  for (const char* limit : {kAtLeast, kAtMost}) {
    EXPECT_TRUE(equal(of_limited("exp", limit, std::log(2.0)), limited("exp", limit, 2)));
    EXPECT_FALSE(equal(of_limited("exp", limit, std::log(2.0)), limited("exp", limit, 3)));
  }
  EXPECT_FALSE(equal(of_limited("exp", kAtLeast, std::log(2.0)), limited("exp", kAtMost, 2)));
}

TEST(MonotoneExtrema, ARootOfALimitedNumberIsLimited) {
  for (const char* limit : {kAtLeast, kAtMost}) {
    EXPECT_TRUE(equal(of_limited("sqrt", limit, 0.25), limited("sqrt", limit, 0.5)));
    EXPECT_FALSE(equal(of_limited("sqrt", limit, 0.5), limited("sqrt", limit, 0.5)));
    EXPECT_FALSE(equal(of_limited("sqrt", limit, 0.25), limited("sqrt", limit, -0.5)));
  }
}

}  // namespace
}  // namespace assay::test
