// What the small languages have in common: where a word starts, what an integer is, and how an
// error says where it stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/base/lexer.h"

namespace assay::test {
namespace {

constexpr Language kWords{};
constexpr Language kTensors{"a list of ", kInTensorNames, true};

Lexer lexer(std::string_view text, const Language& language = kWords) {
  return {language, text, {"case.toml", 3, 7}};
}

TEST(Lexer, WordsAreOfTheLanguage) {
  EXPECT_EQ(lexer("  a_1-b").word(), "a_1");
  EXPECT_EQ(lexer("  a_1-b:0.c@1", kTensors).word(), "a_1-b:0.c");
  EXPECT_EQ(lexer("(a").word(), "");
}

TEST(Lexer, AnIntegerIsReadOrNothingIs) {
  Lexer of = lexer(" -12x 9 99999999999999999999");
  EXPECT_EQ(of.integer(), -12);
  EXPECT_EQ(of.integer(), std::nullopt);
  EXPECT_TRUE(of.accept("x"));
  EXPECT_EQ(of.integer(1, 8), std::nullopt);
  EXPECT_EQ(of.integer(1, 9), 9);
  EXPECT_EQ(of.integer(), std::nullopt);
  EXPECT_EQ(of.word(), "99999999999999999999");
}

TEST(Lexer, ErrorsSayWhere) {
  const auto error = [](Lexer of) {
    of.word();
    try {
      of.expect(",");
    } catch (const UserError& thrown) {
      return std::string(thrown.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(error(lexer("a  b")), "case.toml:3:10: expected ',' in \"a  b\"");
  EXPECT_EQ(error(lexer("a \n b", kTensors)),
            "case.toml:4:2: expected ',', found 'b' in a list of \"a \n b\"");
  EXPECT_EQ(error(lexer("a ", kTensors)),
            "case.toml:3:9: expected ',', found the end in a list of \"a \"");
  EXPECT_THAT(error(lexer(std::string(1000, 'a'))), testing::EndsWith("aaa...\""));
}

}  // namespace
}  // namespace assay::test
