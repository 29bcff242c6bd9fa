#include "shared_ir/proof/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lemmas/support.h"

namespace assay::test {
namespace {

TEST(Formula, OperatorsBindAsUsual) {
  EXPECT_EQ(formula("a + b * c"), formula("a + (b * c)"));
  EXPECT_EQ(formula("a - b - c"), formula("(a - b) - c"));
  EXPECT_NE(formula("a - b - c"), formula("a - (b - c)"));
  EXPECT_EQ(formula("-a * b"), formula("(-a) * b"));
  EXPECT_EQ(formula("a / b"), formula("a * reciprocal(b)"));
  EXPECT_EQ(formula("a - b"), formula("a + -1 * b"));
  EXPECT_EQ(formula("1 / 2 * x"), make_call("mul", {make_number({1, 2}), make_variable("x")}));
}

TEST(Formula, ShortFormsAreTheirDefinitions) {
  EXPECT_EQ(formula("square(x + 1)"), formula("(x + 1) * (x + 1)"));
  EXPECT_EQ(formula("select(m, x, y)"), formula("keep(m, x) + keep(not(m), y)"));
}

TEST(Formula, ParsesAgainToItself) {
  for (const char* text :
       {"a + (b + c)", "a * (b + c) * d", "sum[d](exp(x - max[d](x))) / size[d]", "1/2 * -3 * x",
        "keep(and(m, not(n)), x) - y / (z / w)", "-(a + b)", "softmax[d](2 * x)"}) {
    const Formula parsed = formula(text);
    EXPECT_EQ(formula(to_string(parsed)), parsed) << text << " -> " << to_string(parsed);
  }
}

TEST(Formula, SubstitutesAndWalks) {
  const Formula replaced = substitute(formula("x * y + x"), {{"x", formula("a + b")}});
  EXPECT_EQ(replaced, formula("(a + b) * y + (a + b)"));
  const std::vector<int32_t> path{0, 1}, outside{0, 2};
  ASSERT_NE(at_path(replaced, path), nullptr);
  EXPECT_EQ(*at_path(replaced, path), formula("y"));
  EXPECT_EQ(at_path(replaced, outside), nullptr);
}

struct Wrong {
  const char* text;
  int64_t column;
  const char* message;
};

class WrongFormula : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFormula, IsRefusedAtItsColumn) {
  try {
    formula(GetParam().text);
    FAIL() << "parsed";
  } catch (const UserError& error) {
    EXPECT_EQ(error.place().column, GetParam().column);
    EXPECT_THAT(error.message(), testing::HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrongFormula,
    testing::Values(Wrong{"", 1, "expected a formula"}, Wrong{"x +", 4, "expected a formula"},
                    Wrong{"x y", 3, "expected an operator or the end"},
                    Wrong{"(x", 3, "expected ')'"}, Wrong{"f(x)", 1, "unknown function 'f'"},
                    Wrong{"x + exp", 5, "'exp' is a function"},
                    Wrong{"exp(x, y)", 1, "'exp' has 1 operand and no dimension"},
                    Wrong{"exp[d](x)", 1, "'exp' has 1 operand and no dimension"},
                    Wrong{"sum(x)", 1, "'sum' has 1 operand and a dimension"},
                    Wrong{"sum[](x)", 5, "expected a dimension"},
                    Wrong{"1 / 0", 4, "division by 0"}, Wrong{"12x", 1, "not an integer"},
                    Wrong{"99999999999999999999", 1, "not an integer"}));

TEST(Formula, DepthIsBounded) {
  EXPECT_THROW(formula(std::string(1000, '(') + "x" + std::string(1000, ')')), UserError);
  EXPECT_THROW(formula(std::string(1000, '-') + "x"), UserError);
}

}  // namespace
}  // namespace assay::test
