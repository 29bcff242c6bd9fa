#include "shared_ir/symbolic/size_expression.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

const SymbolValues kValues = {{"s0", 7}, {"s1", 3}};

TEST(SymbolExpression, HasTheUsualMeaning) {
  const std::vector<std::pair<const char*, int64_t>> sizes = {
      {"2*s0 + s1", 17}, {"s0//2", 3},        {"-s0 // 2", -4},  {"s0 % 4", 3},
      {"-s0 % 4", 1},    {"(s0 + 1) / 4", 2}, {"s0**2 - 1", 48}, {"FloorDiv(s0, 2)", 3},
      {"Mod(s0, 4)", 3}, {"2 - s1 - 1", -2},  {"s0//2*2", 6},    {"-(s0)", -7}};
  for (const auto& [text, value] : sizes)
    EXPECT_EQ(evaluate_size(text, kValues, {}), value) << text;
}

TEST(SymbolExpression, ComparisonsMayBeChained) {
  EXPECT_TRUE(holds(parse_constraint("3 <= s1 < s0", {}), kValues));
  EXPECT_FALSE(holds(parse_constraint("4 <= s1 < s0", {}), kValues));
  EXPECT_TRUE(holds(parse_constraint("s0 > s1 >= 3 != s0", {}), kValues));
  EXPECT_TRUE(holds(parse_constraint("s0 % s1 == 1", {}), kValues));
}

TEST(SymbolExpression, ErrorsHaveTheColumn) {
  const auto message = [](const char* text, bool constraint) -> std::string {
    try {
      const SourcePlace place{"case.toml", 4, 10};
      if (constraint)
        parse_constraint(text, place);
      else
        evaluate_size(text, kValues, place);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("2 * ", false), testing::HasSubstr("case.toml:4:14: expected a symbol"));
  EXPECT_THAT(message("s0 s1", false), testing::HasSubstr("case.toml:4:13: expected an operator"));
  EXPECT_THAT(message("s0 + 1", true), testing::HasSubstr("expected a comparison"));
  EXPECT_THAT(message("s7", false), testing::HasSubstr("symbol 's7' is not defined"));
  EXPECT_THAT(message("s0 % (s1 - 3)", false), testing::HasSubstr("division by zero"));
  EXPECT_THAT(message("s0 * 9223372036854775807", false), testing::HasSubstr("64 bits"));
  EXPECT_THAT(message(std::string(1000, '(').c_str(), false), testing::HasSubstr("too deeply"));
}

}  // namespace
}  // namespace assay
