// Errors, verdicts and element types: the small closed vocabularies.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "shared_ir/base/error.h"
#include "shared_ir/dtype.h"
#include "shared_ir/report/verdict.h"

namespace assay {
namespace {

TEST(UserErrorText, StartsWithThePlaceAndEndsWithTheHint) {
  const UserError error({"case.toml", 3, 7}, "no such key", "did you mean 'inputs'?");
  EXPECT_STREQ(error.what(), "case.toml:3:7: no such key\n  hint: did you mean 'inputs'?");
}

TEST(UserErrorText, LeavesUnknownPartsOfThePlaceOut) {
  EXPECT_STREQ(UserError({"a.json", 4, 0}, "wrong").what(), "a.json:4: wrong");
  EXPECT_STREQ(UserError({"a.json"}, "wrong").what(), "a.json: wrong");
  EXPECT_STREQ(UserError({}, "wrong").what(), "wrong");
}

TEST(InternalCheck, ThrowsWithTheConditionWhenItDoesNotHold) {
  EXPECT_NO_THROW(ASSAY_CHECK(1 + 1 == 2, "arithmetic"));
  try {
    ASSAY_CHECK(1 + 1 == 3, "arithmetic");
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("1 + 1 == 3"), std::string::npos) << error.what();
  }
}

TEST(VerdictExitCode, IsZeroForProvedAlone) {
  EXPECT_EQ(exit_code(Verdict::kProved), 0);
  for (Verdict verdict :
       {Verdict::kRefuted, Verdict::kUnproved, Verdict::kTimeout, Verdict::kUnsupported}) {
    EXPECT_EQ(exit_code(verdict), 1) << to_string(verdict);
  }
  EXPECT_EQ(exit_code(Verdict::kError), 2);
}

TEST(DTypeNames, RoundTripWithAndWithoutPrefix) {
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
    EXPECT_EQ(parse_dtype("torch." + std::string(to_string(dtype))), dtype);
  }
  EXPECT_EQ(parse_dtype("complex64"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DTypeByteSize, IsTheNumberInTheNameInBytes) {
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(to_string(dtype));
    const size_t digit = name.find_first_of("0123456789");
    const size_t bits = is_bool(dtype) ? 8 : std::stoul(name.substr(digit));
    EXPECT_EQ(byte_size(dtype), bits / 8) << name;
  }
}

TEST(DTypeEpsilon, IsTheDistanceFromOneToTheNextNumber) {
  EXPECT_EQ(machine_epsilon(DType::kFloat32), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(machine_epsilon(DType::kFloat64), std::numeric_limits<double>::epsilon());
  EXPECT_EQ(machine_epsilon(DType::kBFloat16), 1.0 / 128);
  EXPECT_EQ(machine_epsilon(DType::kInt64), 0);
}

}  // namespace
}  // namespace assay
