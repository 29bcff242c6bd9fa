#include "shared_ir/clean_expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "shared_ir/rational.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Kind = CleanExpr::Kind;

// Random expressions; shapes need not fit, only the syntax matters.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  CleanExpr expression(int depth) {
    CleanExpr expr;
    expr.kind = depth == 0 ? Kind::kTensor : static_cast<Kind>(number(0, 7));
    if (expr.kind == Kind::kTensor) {
      static const std::string kNames[] = {"a", "p0.1", "concat", "x-y:2", "_grad.w", "7"};
      expr.name = kNames[number(0, 5)];
      expr.rank = static_cast<Rank>(number(0, 9000));
      return expr;
    }
    const bool many = expr.kind == Kind::kConcat || expr.kind == Kind::kSum;
    for (int64_t i = many ? number(1, 3) : 1; i > 0; --i) {
      expr.operands.push_back(expression(depth - 1));
    }
    if (expr.kind == Kind::kConcat || expr.kind == Kind::kSlice || expr.kind == Kind::kPad) {
      expr.dim = number(-2, 5);
    }
    if (expr.kind == Kind::kSlice || expr.kind == Kind::kPad) {
      expr.start = number(-10, 100);
      expr.end = number(0, INT64_MAX);
    }
    if (expr.kind == Kind::kPermute || expr.kind == Kind::kReshape) {
      for (int64_t i = number(0, 4); i > 0; --i) expr.dims.push_back(number(-1, 2000));
    }
    if (expr.kind == Kind::kScale) {
      const Rational by(number(-50, 50), number(1, 50));
      expr.numerator = by.numerator();
      expr.denominator = by.denominator();
    }
    return expr;
  }

 private:
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  std::mt19937 random_;
};

TEST(CleanExprText, ParsingWhatWasPrintedIsTheIdentity) {
  Generator generator(3);
  for (int i = 0; i < 3000; ++i) {
    const CleanExpr expr = generator.expression(i % 5);
    const std::string text = to_string(expr);
    const CleanExpr back = parse_clean_expr(text, {});
    ASSERT_EQ(back, expr) << text;
    ASSERT_EQ(to_string(back), text);
  }
}

TEST(CleanExprText, SpacesDoNotMatter) {
  EXPECT_EQ(to_string(parse_clean_expr(" concat (\n a @ 0,b@1 ;dim = 0 ) ", {})),
            "concat(a@0, b@1; dim=0)");
}

TEST(CleanExprText, ScaleIsKeptInLowestTerms) {
  EXPECT_EQ(to_string(parse_clean_expr("scale(a@0; by=2/4)", {})), "scale(a@0; by=1/2)");
  EXPECT_EQ(to_string(parse_clean_expr("scale(a@0; by=3)", {})), "scale(a@0; by=3)");
}

TEST(CleanExprText, SequentialLeavesNeedNoRank) {
  const CleanExpr expr = parse_clean_expr("sum(a, b@0)", {}, Leaves::kSequential);
  EXPECT_EQ(to_string(expr, Leaves::kSequential), "sum(a, b)");
  EXPECT_EQ(to_string(expr), "sum(a@0, b@0)");
  EXPECT_THROW(parse_clean_expr("a@1", {}, Leaves::kSequential), UserError);
  EXPECT_THROW(parse_clean_expr("a", {}), UserError);
}

struct BadText {
  std::string text;
  int64_t column;  // the expression starts at column 10
  std::string message;
};

class CleanExprErrors : public testing::TestWithParam<BadText> {};

TEST_P(CleanExprErrors, NameTheColumn) {
  try {
    parse_clean_expr(GetParam().text, {"case.toml", 5, 10});
    FAIL() << "accepted " << GetParam().text;
  } catch (const UserError& error) {
    EXPECT_EQ(error.place().file, "case.toml");
    EXPECT_EQ(error.place().line, 5);
    EXPECT_EQ(error.place().column, GetParam().column) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, CleanExprErrors,
    testing::Values(BadText{"", 10, "expected a tensor"}, BadText{"a", 11, "expected '@'"},
                    BadText{"a@", 12, "expected an integer"},
                    BadText{"a@-1", 12, "a rank is between"},
                    BadText{"a@99999999999999999999", 12, "expected an integer"},
                    BadText{"a@0 b", 14, "expected the end"},
                    BadText{"mul(a@0, b@0)", 10, "'mul' is no clean operator"},
                    BadText{"concat(a@0, b@0)", 10, "concat needs 'dim='"},
                    BadText{"concat(a@0; dim=0, dim=1)", 29, "'dim' is given twice"},
                    BadText{"sum(a@0; dim=1)", 19, "sum has no 'dim'"},
                    BadText{"slice(a@0, b@0; dim=0, start=0, end=1)", 10, "takes one operand"},
                    BadText{"scale(a@0; by=1/0)", 24, "denominator"},
                    BadText{"permute(a@0; dims=[0, 1)", 33, "expected ']'"},
                    BadText{"concat(a@0, b@0; dim=0", 32, "expected ')'"}));

TEST(CleanExprErrors, NestingIsBounded) {
  std::string text = "a@0";
  for (int i = 0; i < 5000; ++i) text = "sum(" + text + ")";
  EXPECT_THROW(parse_clean_expr(text, {}), UserError);
}

class CleanExprShape : public testing::Test {
 protected:
  static Shape shape(const std::string& text) {
    return infer_shape(parse_clean_expr(text, {}),
                       [](const std::string& name, Rank) {
                         if (name == "a") return Shape{2, 3};
                         if (name == "b") return Shape{4, 3};
                         if (name == "huge") return Shape{int64_t{1} << 59};
                         throw UserError({}, "no tensor " + name);
                       },
                       {"case.toml", 1, 1});
  }
};

TEST_F(CleanExprShape, FollowsEveryOperator) {
  EXPECT_EQ(shape("concat(a@0, b@0; dim=0)"), (Shape{6, 3}));
  EXPECT_EQ(shape("slice(b@0; dim=0, start=1, end=3)"), (Shape{2, 3}));
  EXPECT_EQ(shape("sum(a@0, a@1)"), (Shape{2, 3}));
  EXPECT_EQ(shape("permute(a@0; dims=[1, 0])"), (Shape{3, 2}));
  EXPECT_EQ(shape("reshape(a@0; shape=[6])"), (Shape{6}));
  EXPECT_EQ(shape("pad(a@0; dim=1, before=1, after=2)"), (Shape{2, 6}));
  EXPECT_EQ(shape("scale(a@0; by=1/2)"), (Shape{2, 3}));
}

TEST_F(CleanExprShape, RejectsWhatDoesNotFit) {
  for (const std::string text :
       {"concat(a@0, b@0; dim=1)", "concat(a@0; dim=2)", "concat(a@0; dim=-1)",
        "slice(a@0; dim=0, start=1, end=3)", "slice(a@0; dim=0, start=2, end=1)", "sum(a@0, b@0)",
        "permute(a@0; dims=[0])", "permute(a@0; dims=[0, 0])", "reshape(a@0; shape=[5])",
        "reshape(a@0; shape=[-2, -3])", "reshape(a@0; shape=[4611686018427387904, 4])",
        "pad(a@0; dim=0, before=-1, after=0)", "concat(huge@0, huge@1, huge@2; dim=0)"}) {
    EXPECT_THROW(shape(text), UserError) << text;
  }
}

}  // namespace
}  // namespace assay
