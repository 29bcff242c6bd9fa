// Casts of rounded numbers to integers keep them where the type holds them all: what quantised
// tensors are sent as is what they are computed with.
#include <limits>

#include <gtest/gtest.h>

#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

struct Quantised {
  double low = -127, high = 127;
  DType sent_as = DType::kInt8;
  const char* rounding = "round.default";
};

TensorRef rounded(Terms& t, TensorRef x, const Quantised& how) {
  return t.call("clamp.default", {t.call(how.rounding, {t.mul(x, 16.0)}), how.low, how.high});
}

Body computed(const Quantised& how) {
  return [how](Terms& t, TensorRef x, TensorRef y) { return t.mul(rounded(t, x, how), y); };
}

Body sent(const Quantised& how) {
  return [how](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef sent =
        t.call("_to_copy.default", {rounded(t, x, how), how.sent_as}, how.sent_as);
    return t.mul(t.call("_to_copy.default", {sent, DType::kFloat32}), y);
  };
}

TEST(WholeNumbers, ThatATypeHoldsAreKept) {
  for (const Quantised& how :
       {Quantised{}, Quantised{-128, 127}, Quantised{0, 255, DType::kUint8},
        Quantised{-300, 300, DType::kInt16}, Quantised{-8, 7, DType::kInt8, "floor.default"},
        Quantised{-8, 7, DType::kInt64, "trunc.default"}}) {
    EXPECT_TRUE(equal(computed(how), sent(how))) << how.low << " .. " << how.high;
  }
}

TEST(WholeNumbers, ThatATypeDoesNotHoldAreOthers) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Quantised& how :
       {Quantised{-128, 128}, Quantised{-129, 127}, Quantised{-1, 255, DType::kUint8},
        Quantised{0, 256, DType::kUint8}, Quantised{-infinity, infinity}, Quantised{-127, infinity},
        Quantised{-126.5, 127}, Quantised{-127, 126.5},
        Quantised{-127, 127, DType::kInt8, "sin.default"}}) {
    EXPECT_FALSE(equal(computed(how), sent(how))) << how.low << " .. " << how.high;
  }
}

TEST(WholeNumbers, AreRoundedAsTheSpecificationSays) {
  EXPECT_FALSE(equal(computed({}), sent({-127, 127, DType::kInt8, "floor.default"})));
  EXPECT_FALSE(equal(computed({}), sent({-126, 127})));
}

// Products of integers that fit are those of the numbers.
TEST(WholeNumbers, AreComputedWithAsIntegers) {
  const auto product = [](DType in) {
    return [in](Terms& t, TensorRef x, TensorRef y) {
      const auto integer = [&](TensorRef of) {
        return t.call("_to_copy.default", {rounded(t, of, {}), in}, in);
      };
      return t.call("_to_copy.default",
                    {t.call("mul.Tensor", {integer(x), integer(y)}, in), DType::kFloat32});
    };
  };
  const Body numbers = [](Terms& t, TensorRef x, TensorRef y) {
    return t.mul(rounded(t, x, {}), rounded(t, y, {}));
  };
  EXPECT_TRUE(equal(numbers, product(DType::kInt32)));
  EXPECT_TRUE(equal(numbers, product(DType::kInt16)));
  EXPECT_FALSE(equal(numbers, product(DType::kInt8)));
}

}  // namespace
}  // namespace assay::test
