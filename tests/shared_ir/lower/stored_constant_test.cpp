// A constant that a tensor stores is the number that its type has for it where that is no rounding
// of it: too large, or so small that digits are lost. Where it is rounding, the report lists it.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "shared_ir/cast.h"
#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NearestNumber, IsThatOfTheFormat) {
  EXPECT_EQ(nearest_number(0.1, DType::kFloat32), static_cast<double>(0.1f));
  EXPECT_EQ(nearest_number(0x1p-149, DType::kFloat32), 0x1p-149);
  EXPECT_EQ(nearest_number(0x1p-150, DType::kFloat32), 0) << "ties to even";
  EXPECT_EQ(nearest_number(1e39, DType::kFloat32), kInfinity);
  EXPECT_EQ(nearest_number(65519, DType::kFloat16), 65504);
  EXPECT_EQ(nearest_number(-65520, DType::kFloat16), -kInfinity);
  EXPECT_EQ(nearest_number(0x1.8p-24, DType::kFloat16), 0x1p-23) << "ties to even";
  EXPECT_EQ(nearest_number(1.00390625, DType::kBFloat16), 1) << "ties to even";
  EXPECT_EQ(nearest_number(0.1, DType::kFloat64), 0.1);
  EXPECT_TRUE(std::isnan(nearest_number(465, DType::kFloat8E4M3)));
}

TEST(NearestNumber, IsARoundingInTheRangeOfTheFormat) {
  EXPECT_TRUE(is_in_range(0.1, DType::kFloat16));
  EXPECT_TRUE(is_in_range(1 + 0x1p-30, DType::kFloat32));
  EXPECT_TRUE(is_in_range(0x1p-24, DType::kFloat16)) << "subnormal, and held";
  EXPECT_FALSE(is_in_range(0x1.2p-24, DType::kFloat16));
  EXPECT_FALSE(is_in_range(0x1p-40, DType::kFloat16));
  EXPECT_FALSE(is_in_range(70000, DType::kFloat16));
  EXPECT_TRUE(is_in_range(1e-300, DType::kFloat64));
}

CoreProgram full(double value, DType dtype) {
  return OperatorCall("aten.full.default").numbers({2}).number(value).gives(dtype, {2}).lower();
}

TEST(StoredConstant, IsWhatItsTypeHoldsWhereThatIsNoRounding) {
  const CoreProgram lost = full(0x1p-40, DType::kFloat16);
  EXPECT_EQ(lost.ops.back().constant, Rational(0));
  EXPECT_THAT(lost.notes, IsEmpty());
  const CoreProgram kept = full(0x1p-24, DType::kFloat16);
  EXPECT_EQ(kept.ops.back().constant.to_double(), 0x1p-24);
  EXPECT_THAT(kept.notes, IsEmpty());
  EXPECT_EQ(full(0.001, DType::kFloat8E4M3).ops.back().constant, Rational(1, 512));
  EXPECT_THROW(full(70000, DType::kFloat16), UserError) << "PyTorch refuses it";
  const auto whole = [](int64_t value) {
    return OperatorCall("aten.full.default")
        .numbers({2})
        .number(value)
        .gives(DType::kFloat16, {2})
        .lower();
  };
  EXPECT_THROW(whole(70000), UserError);
  EXPECT_EQ(whole(60000).ops.back().constant, Rational(60000));
}

TEST(StoredConstant, IsListedWhereItIsRounded) {
  const CoreProgram rounded = full(1 + 0x1p-30, DType::kFloat32);
  EXPECT_EQ(rounded.ops.back().constant.to_double(), 1 + 0x1p-30);
  EXPECT_THAT(rounded.notes, ElementsAre("the constant 1.0000000009313226 is taken as it is, which "
                                         "float32 rounds to 1"));
  EXPECT_THAT(full(1 + 0x1p-20, DType::kFloat32).notes, IsEmpty());
}

TEST(StoredConstant, IsNoNumberBesideATensor) {
  const CoreProgram program = OperatorCall("aten.add.Tensor")
                                  .tensor(DType::kFloat16, {1}, {5})
                                  .number(0x1p-40)
                                  .gives(DType::kFloat16, {1})
                                  .lower();
  ASSERT_EQ(program.notes.size(), 1u);
  EXPECT_THAT(program.notes[0], testing::EndsWith(" is taken as it is, which float16 rounds to 0"));
}

}  // namespace
}  // namespace assay::test
