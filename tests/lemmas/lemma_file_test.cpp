#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "static_check/lemmas/shipped_lemmas.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(LemmaFile, HasSidesConditionsAndASource) {
  LemmaTable table;
  table.add_text(R"toml([shift]
left = "softmax[d](x + c)"
right = "softmax[d](x)"
where = ["independent(c, d)"]
source = "a paper"
)toml",
                 "user.toml");
  const Lemma* lemma = table.find("shift");
  ASSERT_NE(lemma, nullptr);
  EXPECT_EQ(to_string(lemma->left), "softmax[d](x + c)");
  EXPECT_EQ(to_string(lemma->conditions.at(0)), "independent(c, d)");
  EXPECT_EQ(lemma->source, "a paper");
  EXPECT_THAT(variables_of(*lemma), testing::ElementsAre("c", "x"));
  EXPECT_THAT(dims_of(*lemma), testing::ElementsAre("d"));
  EXPECT_TRUE(masks_of(*lemma).empty());
}

TEST(LemmaFile, ShippedLemmasParseAndHaveSources) {
  const LemmaTable table = builtin_lemmas();
  EXPECT_GT(table.lemmas().size(), 50u);
  for (const Lemma& lemma : table.lemmas()) EXPECT_FALSE(lemma.source.empty()) << lemma.name;
}

TEST(LemmaFile, OfAUserComesBesideTheShippedOnes) {
  test::ScratchFolder folder;
  const auto file = folder.path() / "mine.toml";
  std::ofstream(file) << "[mine]\nleft = \"x * 2\"\nright = \"x + x\"\nsource = \"own\"\n";
  const LemmaTable table = lemmas_with_files({file});
  EXPECT_NE(table.find("mine"), nullptr);
  EXPECT_NE(table.find("softmax_shift"), nullptr);
  EXPECT_THROW(lemmas_with_files({folder.path() / "none.toml"}), UserError);
}

struct Wrong {
  const char* name;
  const char* text;
  int64_t line;
  int64_t column;
  const char* message;
};

const std::string kDeepKey = [] {
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) key += ".a";
  return key + " = 1\n";
}();

// Quotes within quotes do not hide it.
const std::string kHiddenKey =
    "# ' \nb = {s = \"\"\" \\\" \" ' \"\"\", t = ''' ' \" ''', " + kDeepKey + "}\n";

class WrongLemmaFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongLemmaFile, IsRefusedAtItsPlace) {
  LemmaTable table;
  try {
    table.add_text(GetParam().text, "user.toml");
    FAIL() << "read";
  } catch (const UserError& error) {
    EXPECT_EQ(error.place().file, "user.toml");
    EXPECT_EQ(error.place().line, GetParam().line) << error.what();
    EXPECT_EQ(error.place().column, GetParam().column) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrongLemmaFile,
    testing::Values(
        Wrong{"NoToml", "[a\n", 1, 3, ""},
        Wrong{"NoTable", "a = 1\n", 1, 5, "'a' in the lemma file is not a table"},
        Wrong{"NoRight", "[a]\nleft = \"x\"\nsource = \"\"\n", 1, 1, "needs the key 'right'"},
        Wrong{"UnknownKey", "[a]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\nwhen = []\n", 5, 1,
              "unknown key 'when'"},
        Wrong{"Formula", "[a]\nleft = \"x +\"\nright = \"x\"\nsource = \"\"\n", 2, 12,
              "expected a formula"},
        Wrong{"Condition",
              "[a]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\nwhere = [\"small(x)\"]\n", 5, 11,
              "unknown condition 'small'"},
        Wrong{"ConditionOnAStranger",
              "[a]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\nwhere = [\"positive(y)\"]\n", 5, 11,
              "neither side has a variable 'y'"},
        Wrong{"ConditionOnAStrangeDimension",
              "[a]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\nwhere = [\"independent(x, d)\"]\n",
              5, 11, "neither side has a dimension 'd'"},
        Wrong{"MaskAsNumber", "[a]\nleft = \"keep(m, m)\"\nright = \"m\"\nsource = \"\"\n", 1, 2,
              "'m' is a mask where a number must stand"},
        Wrong{"TooLarge",
              // Each square stands for its operand twice.
              "[a]\nleft = \"square(square(square(square(square(square(square(square(square(square("
              "square(x)))))))))))\"\nright = \"x\"\nsource = \"\"\n",
              2, 97, "more than 1024 variables and numbers"},
        Wrong{"DeepKey", kDeepKey.c_str(), 1, 1, "a key of too many parts"},
        Wrong{"DeepKeyBehindQuotes", kHiddenKey.c_str(), 2, 1, "a key of too many parts"},
        Wrong{"NumberBeyond64Bits",
              "[a]\nleft = \"1 / 9223372036854775807 / 2\"\nright = \"x\"\nsource = \"\"\n", 2, 9,
              "a number leaves 64 bits"},
        Wrong{"Twice", "[a]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\n[a]\nleft = \"x\"\n", 5, 1,
              ""}),
    [](const auto& one) { return one.param.name; });

TEST(LemmaFile, StatesNoNameTwice) {
  LemmaTable table = builtin_lemmas();
  try {
    table.add_text("[softmax_shift]\nleft = \"x\"\nright = \"x\"\nsource = \"\"\n", "user.toml");
    FAIL() << "read";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'softmax_shift' is stated twice"));
    EXPECT_THAT(error.what(), HasSubstr("lemmas/softmax.toml"));
  }
}

}  // namespace
}  // namespace assay
